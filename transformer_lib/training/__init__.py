"""Learning: from a loss to a trained model, on one process or several.

loss.py         cross-entropy with label smoothing (section 5.4)
schedules.py    the learning rate, step by step (section 5.3)
optimizers.py   the paper's Adam, and AdamW and Muon
config.py       TrainingConfig: how to train
batches.py      which pairs go together, epoch after epoch
step.py         the loss of a batch, one update of the weights
trainer.py      the loop, which can be killed and resumed
state.py        how far a training has come, on disk
devices.py, distributed.py, log.py
"""

"""Learning: from a loss to a trained model, on one process or several.

loss.py         cross-entropy with label smoothing (section 5.4)
schedules.py    the learning rate, step by step (section 5.3)
optimizers.py   the paper's Adam, AdamW and Muon
config.py       TrainingConfig: how to train
batches.py      the order of the batches, epoch after epoch
step.py         the loss of a batch, one update of the weights
loop.py         the training loop, plain, to read
trainer.py      the loop for long runs, which can be killed and resumed
state.py        the state of a training run, on disk
devices.py, threads.py, distributed.py (several processes), log.py
"""

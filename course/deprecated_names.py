"""Old names of the library that are in the course now: they work until release 2.0.

transformer_lib/deprecated_names.py finds them, and loads this when one is asked for.
"""

from transformer_lib.deprecated_names import HANDED_ON, RENAMED, alias, table

# Old module, without "transformer_lib." -> where its names are now, without "course.".
MODULES = {
    "checks": "checks",
    "checks.attention": "chapters.ch04_attention.checks",
    "checks.before": "chapters.ch16_before.checks",
    "checks.causes": "chapters.ch13_what_heads_learned.checks",
    "checks.corpus": "chapters.ch14_real_text.assignment_7_checks",
    "checks.decoder": "chapters.ch08_decoder.checks",
    "checks.decoding": "chapters.ch11_decoding.checks",
    "checks.embeddings": "chapters.ch02_embeddings.checks",
    "checks.encoder": "chapters.ch07_encoder.checks",
    "checks.from_empty": "from_scratch.checks",
    "checks.gpt": "chapters.ch17_gpt.checks",
    "checks.heads": "chapters.ch05_multi_head_attention.checks",
    "checks.heads_on_real_text": "chapters.ch15_heads_on_real_text.checks",
    "checks.masks": "chapters.ch06_masks.checks",
    "checks.newer_parts": "chapters.ch18_since_2017.assignment_8_checks",
    "checks.one_hot": "chapters.ch01_one_hot.checks",
    "checks.positions": "chapters.ch03_positional_encoding.checks",
    "checks.primer": "chapters.a1_primer.checks",
    "checks.quiz": "chapters.ch13_what_heads_learned.quiz",
    "checks.real_text": "chapters.ch14_real_text.checks",
    "checks.scaling": "chapters.ch17_gpt.assignment_9_checks",
    "checks.since": "chapters.ch18_since_2017.checks",
    "checks.start_here": "chapters.ch00_start_here.checks",
    "checks.training": "chapters.ch10_training.checks",
    "checks.translation": "chapters.ch12_translation.checks",
    "checks.watching": "checks.watching",
    "checks.whole": "chapters.ch09_whole_transformer.checks",
    "corpora.english_spanish": "grammar.splits",
    "corpora.english_spanish.classes": "grammar.classes",
    "corpora.english_spanish.clitics": "grammar.clitics",
    "corpora.english_spanish.drawing": "grammar.random_choices",
    "corpora.english_spanish.larger": "grammar.larger",
    "corpora.english_spanish.lexicon": "grammar.lexicon",
    "corpora.english_spanish.likes": "grammar.likes",
    "corpora.english_spanish.morphology": "grammar.morphology",
    "corpora.english_spanish.phrases": "grammar.phrases",
    "corpora.english_spanish.pronouns": "grammar.antecedents",
    "corpora.english_spanish.questions": "grammar.questions",
    "corpora.english_spanish.recognition": "grammar.recognition",
    "corpora.english_spanish.situations": "grammar.situations",
    "corpora.english_spanish.splits": "grammar.splits",
    "corpora.english_spanish.statements": "grammar.statements",
    "corpora.english_spanish.surprise": "grammar.surprise",
    "corpora.english_spanish.verbs": "grammar.verbs",
    "corpora.english_spanish.words": "grammar.words",
    "corpora.messy": "chapters.ch14_real_text.messy_corpus",
    "experiments": "experiments",
    "experiments.ablations": "chapters.ch10_training.experiment_ablations",
    "experiments.attention": "chapters.ch04_attention.experiments",
    "experiments.backwards": "chapters.ch16_before.experiment_backwards",
    "experiments.before": "chapters.ch16_before.experiments",
    "experiments.causes": "chapters.ch13_what_heads_learned.experiments",
    "experiments.decoder": "chapters.ch08_decoder.experiments",
    "experiments.decoding": "chapters.ch11_decoding.experiments",
    "experiments.embeddings": "chapters.ch02_embeddings.experiments",
    "experiments.encoder": "chapters.ch07_encoder.experiments",
    "experiments.end_sign": "chapters.ch03_positional_encoding.experiment_end_sign",
    "experiments.everyday": "chapters.ch14_real_text.experiment_everyday",
    "experiments.first_steps": "chapters.ch10_training.experiment_first_steps",
    "experiments.first_words": "chapters.ch10_training.experiment_first_words",
    "experiments.fused": "chapters.ch18_since_2017.experiment_fused",
    "experiments.gpt": "chapters.ch17_gpt.experiments",
    "experiments.heads_on_real_text": "chapters.ch15_heads_on_real_text.experiments",
    "experiments.held_out": "chapters.ch10_training.experiment_held_out",
    "experiments.induction": "chapters.ch17_gpt.experiment_induction",
    "experiments.language_model": "chapters.ch17_gpt.experiment_language_model",
    "experiments.long": "experiments.long_training",
    "experiments.masked": "chapters.ch17_gpt.experiment_masked",
    "experiments.masks": "chapters.ch06_masks.experiments",
    "experiments.multi30k": "chapters.ch14_real_text.experiment_multi30k",
    "experiments.multi30k_ladder": "chapters.ch14_real_text.experiment_multi30k_sweep",
    "experiments.norms": "chapters.ch10_training.experiment_norms",
    "experiments.one_text": "chapters.ch17_gpt.experiment_one_text",
    "experiments.positions": "chapters.ch03_positional_encoding.experiments",
    "experiments.real_text": "chapters.ch14_real_text.experiments",
    "experiments.repeated": "chapters.ch15_heads_on_real_text.experiment_repeated",
    "experiments.scaling": "chapters.ch09_whole_transformer.experiment_scaling",
    "experiments.sentence": "chapters.journey.experiments",
    "experiments.since": "chapters.ch18_since_2017.experiments",
    "experiments.speculative": "chapters.ch11_decoding.experiment_speculative",
    "experiments.toy": "experiments.digit_training",
    "experiments.training": "chapters.ch10_training.experiments",
    "experiments.translation": "chapters.ch12_translation.experiments",
    "experiments.waiting": "chapters.ch16_before.experiment_waiting",
    "experiments.whole": "chapters.ch09_whole_transformer.experiments",
    "paper": "paper",
    "plots": "drawing",
    "plots.architecture": "drawing.architecture",
    "plots.attention": "drawing.attention_maps",
    "plots.attention_steps": "chapters.ch04_attention.figures",
    "plots.before": "chapters.ch16_before.figures",
    "plots.causes": "chapters.ch13_what_heads_learned.figures",
    "plots.decoder": "chapters.ch08_decoder.figures",
    "plots.decoding": "chapters.ch11_decoding.figures",
    "plots.drawing": "drawing.words drawing.cells drawing.arrows drawing.plots",
    "plots.embeddings": "chapters.ch02_embeddings.figures",
    "plots.encoder": "chapters.ch07_encoder.figures",
    "plots.figures": "drawing.registry drawing.display drawing.saving drawing.gallery",
    "plots.figures.attention": "chapters.ch04_attention.figures",
    "plots.figures.before": "chapters.ch16_before.figures",
    "plots.figures.causes": "chapters.ch13_what_heads_learned.figures",
    "plots.figures.decoder": "chapters.ch08_decoder.figures",
    "plots.figures.decoding": "chapters.ch11_decoding.figures",
    "plots.figures.display": "drawing.display",
    "plots.figures.embeddings": "chapters.ch02_embeddings.figures",
    "plots.figures.encoder": "chapters.ch07_encoder.figures",
    "plots.figures.gallery": "drawing.gallery",
    "plots.figures.gpt": "chapters.ch17_gpt.figures",
    "plots.figures.heads": "chapters.ch05_multi_head_attention.figures",
    "plots.figures.heads_on_real_text": "chapters.ch15_heads_on_real_text.figures",
    "plots.figures.live": "chapters.ch10_training.growing_curve",
    "plots.figures.masks": "chapters.ch06_masks.figures",
    "plots.figures.one_hot": "chapters.ch01_one_hot.figures",
    "plots.figures.overview": "chapters.ch09_whole_transformer.figures",
    "plots.figures.positions": "chapters.ch03_positional_encoding.figures",
    "plots.figures.primer": "chapters.a1_primer.figures",
    "plots.figures.real_text": "chapters.ch14_real_text.figures",
    "plots.figures.registry": "drawing.registry",
    "plots.figures.saving": "drawing.saving",
    "plots.figures.since": "chapters.ch18_since_2017.figures",
    "plots.figures.start_here": "chapters.ch00_start_here.figures",
    "plots.figures.training": "chapters.ch10_training.figures",
    "plots.figures.translation": "chapters.ch12_translation.figures",
    "plots.figures.trees": "chapters.journey.figures",
    "plots.figures.whole": "chapters.ch09_whole_transformer.figures",
    "plots.gpt": "chapters.ch17_gpt.figures",
    "plots.heads": "chapters.ch05_multi_head_attention.figures",
    "plots.heads_on_real_text": "chapters.ch15_heads_on_real_text.figures",
    "plots.late": "drawing.lazy_altair",
    "plots.masks": "chapters.ch06_masks.figures",
    "plots.one_hot": "chapters.ch01_one_hot.figures",
    "plots.positions": "chapters.ch03_positional_encoding.figures",
    "plots.poster": "chapters.journey.poster",
    "plots.primer": "chapters.a1_primer.figures",
    "plots.real_text": "chapters.ch14_real_text.figures",
    "plots.scaling": "chapters.ch09_whole_transformer.figures",
    "plots.series": "chapters.ch00_start_here.figures",
    "plots.showing": "drawing.notebook_output",
    "plots.since": "chapters.ch18_since_2017.figures",
    "plots.style": "drawing.style",
    "plots.training": "chapters.ch10_training.figures",
    "plots.translation": "chapters.ch12_translation.figures",
    "plots.trees": "chapters.journey.figures",
    "plots.values": "drawing.values",
    "plots.whole": "chapters.ch09_whole_transformer.figures",
    "web": "lab",
    "web.node": "lab.node",
    "web.notebook": "lab.notebook",
    "web.pages": "lab.pages",
    "web.view": "lab.view",
}

# Where the names are that `transformer_lib.plots` handed on.
PLOTS = {
    "chapters.ch00_start_here.figures": "series_map",
    "chapters.ch01_one_hot.figures": "one_hot_table unknown_words",
    "chapters.ch02_embeddings.figures": (
        "flat_map loss_by_bottom nearest_words pulled_rows share_bars vector_sizes "
        "word_map word_similarity"
    ),
    "chapters.ch03_positional_encoding.figures": "positions_explorer positions_heatmap wavelengths",
    "chapters.ch04_attention.figures": (
        "attention_explorer equation_frames projection query_finds_key scaling_curves "
        "score_maps six_steps"
    ),
    "chapters.ch05_multi_head_attention.figures": (
        "distance_bars eight_looks encoder_heads heads_recap three_uses token_view "
        "two_pictures weight_by_distance"
    ),
    "chapters.ch07_encoder.figures": (
        "around_flow depth_curves neuron_words norm_groups stream_of_words two_stacks"
    ),
    "chapters.ch08_decoder.experiments": "WordStep",
    "chapters.ch08_decoder.figures": "decode_trace generator_flow stacks_stepper words_come_back",
    "chapters.ch09_whole_transformer.figures": (
        "cost_and_path figure_two outside_in parameter_bars sentence_path "
        "vocabulary_ranges zoom_levels"
    ),
    "chapters.ch10_training.figures": "learning_curve probability_bars teacher_forcing word_grids",
    "chapters.ch11_decoding.figures": "beam_stepper beam_steps beam_tree cost_curves wider_beams",
    "chapters.ch12_translation.figures": "score_bars skill_curves",
    "chapters.ch13_what_heads_learned.figures": (
        "agreement_bars before_and_after crossing crossings exchanged head_name "
        "head_table lines_between sharp_heads"
    ),
    "drawing.architecture": "architecture",
    "drawing.attention_maps": "attention_chart attention_heads attention_heatmap",
    "drawing.display": "show",
    "chapters.ch10_training.growing_curve": "GrowingCurve",
    "drawing.notebook_output": "enable_altair",
}

alias("course", MODULES)
RENAMED |= table("""
    trained_words=_trained_words looks_most_at=attends_most_to eight_looks=eight_heads
    looks_of=attention_from in_the_look=cross_attention_edits looks_backwards=backwards_weights
    material=training_data LEARNERS=SPECS
    ladder=sweep look=attention_row
""")
HANDED_ON["transformer_lib.plots.training.verdict"] = "course.drawing.rows"
HANDED_ON["transformer_lib.checks.one_hot.one_hot_rows"] = "course.checks.exchanged"
for place, names in PLOTS.items():
    HANDED_ON |= {f"transformer_lib.plots.{name}": f"course.{place}" for name in names.split()}

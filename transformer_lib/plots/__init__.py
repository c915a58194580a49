"""Figures: matplotlib for paper, Altair for touching, one look for both.

Every function takes data and labels and gives back axes, a figure or a chart; `show` puts it into
a notebook. `figures.FIGURES` holds the figures of the series by name.
"""

from transformer_lib.plots.architecture import architecture
from transformer_lib.plots.attention import attention_chart, attention_heads, attention_heatmap
from transformer_lib.plots.attention_steps import (
    attention_explorer,
    equation_frames,
    projection,
    query_finds_key,
    scaling_curves,
    score_maps,
    six_steps,
)
from transformer_lib.plots.causes import (
    agreement_bars,
    before_and_after,
    crossing,
    crossings,
    exchanged,
    head_name,
    head_table,
    lines_between,
    sharp_heads,
)
from transformer_lib.plots.decoder import (
    WordStep,
    decode_trace,
    generator_flow,
    stacks_stepper,
    words_come_back,
)
from transformer_lib.plots.decoding import (
    beam_stepper,
    beam_steps,
    beam_tree,
    cost_curves,
    wider_beams,
)
from transformer_lib.plots.embeddings import (
    flat_map,
    loss_by_bottom,
    nearest_words,
    pulled_rows,
    share_bars,
    vector_sizes,
    word_map,
    word_similarity,
)
from transformer_lib.plots.encoder import (
    around_flow,
    depth_curves,
    neuron_words,
    norm_groups,
    stream_of_words,
    two_stacks,
    word_maps,
)
from transformer_lib.plots.figures import show
from transformer_lib.plots.figures.live import GrowingCurve
from transformer_lib.plots.heads import (
    distance_bars,
    eight_looks,
    encoder_heads,
    heads_recap,
    three_uses,
    token_view,
    two_pictures,
    weight_by_distance,
)
from transformer_lib.plots.one_hot import one_hot_table, unknown_words
from transformer_lib.plots.positions import positions_explorer, positions_heatmap, wavelengths
from transformer_lib.plots.series import series_map
from transformer_lib.plots.showing import enable_altair
from transformer_lib.plots.training import (
    learning_curve,
    probability_bars,
    teacher_forcing,
    word_grids,
)
from transformer_lib.plots.translation import score_bars, skill_curves
from transformer_lib.plots.whole import (
    cost_and_path,
    figure_two,
    outside_in,
    parameter_bars,
    sentence_path,
    vocabulary_ranges,
    zoom_levels,
)

__all__ = [
    "GrowingCurve",
    "WordStep",
    "agreement_bars",
    "architecture",
    "around_flow",
    "attention_chart",
    "attention_explorer",
    "attention_heads",
    "attention_heatmap",
    "beam_stepper",
    "beam_steps",
    "beam_tree",
    "before_and_after",
    "cost_and_path",
    "cost_curves",
    "crossing",
    "crossings",
    "decode_trace",
    "depth_curves",
    "distance_bars",
    "eight_looks",
    "enable_altair",
    "encoder_heads",
    "equation_frames",
    "exchanged",
    "figure_two",
    "flat_map",
    "generator_flow",
    "head_name",
    "head_table",
    "heads_recap",
    "learning_curve",
    "lines_between",
    "loss_by_bottom",
    "nearest_words",
    "neuron_words",
    "norm_groups",
    "one_hot_table",
    "outside_in",
    "parameter_bars",
    "positions_explorer",
    "positions_heatmap",
    "probability_bars",
    "projection",
    "pulled_rows",
    "query_finds_key",
    "scaling_curves",
    "score_bars",
    "score_maps",
    "sentence_path",
    "series_map",
    "share_bars",
    "sharp_heads",
    "show",
    "six_steps",
    "skill_curves",
    "teacher_forcing",
    "three_uses",
    "token_view",
    "two_pictures",
    "unknown_words",
    "vector_sizes",
    "vocabulary_ranges",
    "wavelengths",
    "weight_by_distance",
    "wider_beams",
    "word_grids",
    "word_map",
    "stacks_stepper",
    "stream_of_words",
    "two_stacks",
    "word_maps",
    "words_come_back",
    "word_similarity",
    "zoom_levels",
]

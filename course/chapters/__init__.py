"""The chapters, a folder for each notebook: its figures, its exercises' checks, its experiments.

`journey` follows one word through all of them.
"""

# In the order of the series: so are the figures in FIGURES, and the experiments in EXPERIMENTS.
CHAPTERS = (
    "journey",
    "ch00_start_here",
    "ch01_one_hot",
    "ch02_embeddings",
    "ch03_positional_encoding",
    "ch04_attention",
    "ch05_multi_head_attention",
    "ch06_masks",
    "ch07_encoder",
    "ch08_decoder",
    "ch09_whole_transformer",
    "ch10_training",
    "ch11_decoding",
    "ch12_translation",
    "ch13_what_heads_learned",
    "ch14_real_text",
    "ch15_heads_on_real_text",
    "ch16_before",
    "ch17_gpt",
    "ch18_since_2017",
    "ch19_judge",
    "ch20_features",
    "ch21_without_the_table",
    "a1_primer",
)

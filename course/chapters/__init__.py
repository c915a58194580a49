"""The chapters, a folder for each notebook: its figures, its exercises' checks, its experiments.

`journey` follows one word through all of them.
"""

# Folder -> its notebook, in the order of the series: so are the figures in FIGURES, and the
# experiments in EXPERIMENTS.
CHAPTERS = {
    "journey": "",
    "ch00_start_here": "00_start_here",
    "ch01_one_hot": "01_one_hot",
    "ch02_embeddings": "02_embeddings",
    "ch03_positional_encoding": "03_positional_encoding",
    "ch04_attention": "04_attention",
    "ch05_multi_head_attention": "05_multi_head_attention",
    "ch06_masks": "06_masks",
    "ch07_encoder": "07_encoder",
    "ch08_decoder": "08_decoder",
    "ch09_whole_transformer": "09_the_whole_transformer",
    "ch10_training": "10_training",
    "ch11_decoding": "11_decoding",
    "ch12_translation": "12_translation",
    "ch13_what_heads_learned": "13_what_the_heads_learned",
    "ch14_real_text": "14_real_text",
    "ch15_heads_on_real_text": "15_heads_on_real_text",
    "ch16_before": "16_before",
    "ch17_gpt": "17_from_here_to_gpt",
    "ch18_since_2017": "18_since_2017",
    "ch19_judge": "19_taught_by_a_judge",
    "ch20_features": "20_features",
    "ch21_without_the_table": "21_without_the_table",
    "a1_primer": "a1_pytorch_primer",
}

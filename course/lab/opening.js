"use strict";
// What the first page of the site shows of a translation, word by word.

/** Pieces side by side -> the words they make up: [{ text, pieces: their positions }]. */
function joined(pieces) {
  const words = [];
  pieces.forEach((piece, i) => {
    const begins = piece.startsWith(" ") && words.at(-1)?.text;
    if (begins || !words.length) words.push({ text: "", pieces: [] });
    words.at(-1).text += piece.trim();
    words.at(-1).pieces.push(i);
  });
  return words.filter(({ text }) => text);
}

/** What the page shows of a translation, as `opening` in opening.py. */
function opening(translator, text, cells) {
  const result = translator.translate(text);
  const { tokens, ids, typed } = translator.src.read(text);
  const { tokenizer } = translator.src;
  const copies = translator.src.places(tokenizer.detokenize(tokens), typed.copied);
  const source = joined(pieces_of(tokens, tokenizer, copies));
  const memory = translator.model.encode([...ids, EOS]).as_list();
  const last = Object.keys(result.weights).filter((name) => name.endsWith("cross_attn")).at(-1);
  const heads = result.weights[last];
  const share = (queries, keys) => {
    let sum = 0;
    for (const head of heads) {
      for (const query of queries) for (const key of keys) sum += head[query].used[key];
    }
    return sum / (heads.length * queries.length);
  };
  return {
    text,
    from: source.map(({ text, pieces }) => ({
      text,
      cells: [...memory[pieces.at(-1)].slice(0, cells)],
    })),
    to: joined(result.pieces).map((written) => ({
      text: written.text,
      shares: source.map(({ pieces }) => share(written.pieces, pieces)),
    })),
    written: result.text,
    doubt: result.doubt,
  };
}

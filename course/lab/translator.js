"use strict";
// Text in, text out: a trained model together with its two languages, as transformer_lib/
// translator.py. What was trained comes as one object: see `translator_data` in pages.py.

class Translator {
  /** parts: of what was trained, as letters. */
  static async load(parts) {
    const file = await inflated(bytes_of(parts.join("")));
    const size = new DataView(file).getUint32(0, true);
    const about = JSON.parse(new TextDecoder().decode(new Uint8Array(file, 4, size)));
    return new Translator({ ...about, weights: file.slice(4 + size) });
  }

  constructor({ config, source, target, rules, normalize, confidence, weights }) {
    this.model = new Transformer(config, read_safetensors(weights));
    const normalizer = new Normalizer(normalize);
    this.src = target
      ? new Language(source, rules, normalizer)
      : new SubwordLanguage(source, normalizer);
    this.tgt = target ? new Language(target) : this.src;
    this.confidence = confidence;
  }

  /**
   * One sentence, with changed attention: what was read, what was written, and who looked at whom.
   *
   * choose: a function (model, src ids, longest) -> { ids, log_prob, steps }, such as `greedy_decode`.
   * Raises InputError for what the model can't read.
   */
  translate(text, { changes = [], choose = greedy_decode } = {}) {
    const { tokens, ids, typed } = this.src.read(text);
    const src = [...ids, EOS];
    const { result, weights } = with_attention(this.model, changes, () =>
      choose(this.model, src, this.tgt.longest),
    );
    const written = this.tgt.tokens(result.ids);
    const words = this.tgt.shown(written);
    const answer = without_controls(this.tgt.answer(result.ids, typed));
    const places = this.tgt.places(this.tgt.tokenizer.detokenize(written), typed.replaced);
    const pieces = pieces_of(written, this.tgt.tokenizer, places);
    const ended = result.steps.length > words.length; // with <eos>, and not at the length limit
    return {
      ...result,
      ended,
      weights,
      written,
      text: answer,
      pieces,
      doubt: this.doubt(result.log_prob / (words.length + 1), doubt_of(answer, places, typed)),
      src: [...this.src.shown(tokens), SPECIALS[EOS]],
      tgt_in: [SPECIALS[BOS], ...(ended ? words : words.slice(0, -1))],
      tgt_out: ended ? [...words, SPECIALS[EOS]] : words,
    };
  }

  /** How a translation compares with those it was tested on, in words; "" if as sure as usual.
   *
   * other: what else is in doubt, whatever the model was sure of.
   */
  doubt(mean_log_prob, other = "") {
    const found = this.confidence ? this.compared(mean_log_prob) : "";
    const guesses = this.confidence && mean_log_prob < this.confidence.lowest;
    return guesses ? found : other || found;
  }

  compared(mean_log_prob) {
    const { usual, lowest, one_in, right } = this.confidence;
    const what = say(right ? "right_ones" : "test_ones");
    if (mean_log_prob >= usual) return "";
    if (mean_log_prob >= lowest) {
      return say("unsure", { most: one_in - 1, all: one_in, what });
    }
    const count = this.confidence.sentences.toLocaleString(TEXTS.numbers);
    return say("guessing", { count, what });
  }
}

/**
 * The text of each token, with what was typed in its places: together they are the whole line.
 *
 * Letters of which only the first bytes are there, and copies, stand at the token that completes them.
 */
function pieces_of(tokens, tokenizer, places) {
  const length = (end) => tokenizer.detokenize(tokens.slice(0, end)).length;
  const raw = tokenizer.detokenize(tokens);
  const until = (end) => {
    if (!end) return ""; // the first piece has what begins the line
    return filled(raw, places, end === tokens.length ? raw.length : length(end));
  };
  return tokens.map((_, i) => until(i + 1).slice(until(i).length));
}

/** Why a translation can't be right, however sure the model was of it, as in user_input.py. */
function doubt_of(text, places, { numbers }) {
  if (places.some(({ lost }) => lost)) {
    return say("unsure_place");
  }
  if (numbers !== null && numbers_of(text) !== numbers) {
    return say("unsure_numbers");
  }
  return "";
}

// --- what was trained, as packing.py writes it ---------------------------------------------------

const SEVEN_BITS = new Map([..."ÀÁÂÃÄÅ"].map((letter, i) => [letter.charCodeAt(0), [0, 10, 13, 34, 60, 92][i]]));

/** Letters of 7 bits each -> the bytes they stand for. */
function bytes_of(text) {
  const bytes = new Uint8Array(Math.floor((text.length * 7) / 8));
  let [bits, count, next] = [0, 0, 0];
  for (let i = 0; i < text.length; i++) {
    const letter = text.charCodeAt(i);
    bits = ((bits << 7) | (letter < 128 ? letter : SEVEN_BITS.get(letter))) & 0x7fff;
    count += 7;
    if (count >= 8) bytes[next++] = bits >> (count -= 8);
  }
  return bytes;
}

/** Those bytes, which zlib has compressed, as they were. */
async function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

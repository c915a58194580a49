"use strict";
// Text -> subwords -> ids, and back: byte-pair encoding, as transformer_lib/text/subwords.py has it from
// Hugging Face's tokenizers. What is learned comes as `pieces`, each at the place of its id, and
// `merges`, the pairs to join, the first ones first.

const UNICODE_SPACE =
  "\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
// Words with the space before them, numbers, signs: nothing is joined across these.
const CHUNKS = new RegExp(
  "'(?:s|t|re|ve|m|ll|d)| ?\\p{L}+| ?\\p{N}+" +
    `| ?[^${UNICODE_SPACE}\\p{L}\\p{N}]+` +
    `|[${UNICODE_SPACE}]+(?![^${UNICODE_SPACE}])|[${UNICODE_SPACE}]+`,
  "gu",
);

/** Each byte as a letter that can be seen: a space is Ġ. 256 letters, at the places of the bytes. */
function letters_of_bytes() {
  const seen = (byte) =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
  let others = 0;
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCodePoint(seen(byte) ? byte : 256 + others++),
  );
}

/** Cuts text of any language into subwords, and joins them to the same text again. */
class Subwords {
  constructor(merges) {
    this.ranks = new Map(merges.map((pair, rank) => [pair, rank])); // "Ġ t" -> 0, ...
    this.letters = letters_of_bytes();
    this.bytes = new Map(this.letters.map((letter, byte) => [letter, byte]));
  }

  /** The pieces of a text. */
  tokens(text) {
    text = text.normalize("NFC");
    if (!text.startsWith(" ")) text = ` ${text}`;
    const pieces = [];
    for (const [chunk] of text.matchAll(CHUNKS)) {
      const bytes = new TextEncoder().encode(chunk);
      pieces.push(...this.join(Array.from(bytes, (byte) => this.letters[byte])));
    }
    return pieces;
  }

  /** Neighbors become one piece, the pair that was learned first before all others. */
  join(pieces) {
    const rank = (i) => this.ranks.get(`${pieces[i]} ${pieces[i + 1]}`) ?? Infinity;
    while (pieces.length > 1) {
      let best = 0;
      for (let i = 1; i < pieces.length - 1; i++) if (rank(i) < rank(best)) best = i;
      if (rank(best) === Infinity) break;
      pieces.splice(best, 2, pieces[best] + pieces[best + 1]);
    }
    return pieces;
  }

  /** Pieces as text. Bytes that are no whole letter become �. */
  text(pieces) {
    const bytes = [...pieces.join("")].map((letter) => this.bytes.get(letter) ?? 63);
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(new Uint8Array(bytes));
  }

  /** A sentence, which begins without a space. */
  detokenize(pieces) {
    return this.text(pieces).replace(/^ /, "");
  }
}

/** Both sides of a translator whose languages share their subwords; it reads any text. */
class SubwordLanguage {
  constructor({ pieces, merges, finished, stand_ins }) {
    this.longest = 255; // subwords in a sentence, as in Python
    this.tokenizer = new Subwords(merges);
    this.vocab = [...SPECIALS, ...pieces];
    this.ids = new Map(this.vocab.map((token, id) => [token, id]));
    this.finished = finished;
    this.stand_ins = stand_ins;
    this.words = []; // it has no list: it reads any
  }

  /** Links and the like have stand-ins, and a line in capitals is read in small letters. */
  as_typed(line) {
    const typed = replace_by_stand_ins(line, this.stand_ins);
    return shouted(line) ? { ...typed, words: typed.words.toLowerCase() } : typed;
  }

  /** What somebody typed -> { tokens, ids, typed }; InputError for what it can't read. */
  read(text) {
    const typed = this.finished ? finish(text) : this.as_typed(one_line(text));
    const tokens = this.tokenizer.tokens(typed.words);
    if (tokens.length > this.longest) {
      throw new InputError(
        `the text has ${tokens.length} subwords, more than ${this.longest}: ` +
          "cut it into shorter sentences",
      );
    }
    return { tokens, ids: tokens.map((token) => this.ids.get(token)), typed };
  }

  tokens(ids) {
    return ids.map((id) => this.vocab[id]);
  }

  /** The text of a translation, without the sign that was added to what was typed. */
  answer(ids, { added, replaced }) {
    const text = this.tokenizer.detokenize(this.tokens(ids));
    const own = added && text.endsWith(added) ? text.slice(0, -added.length) : text;
    return put_back(own, replaced, this.stand_ins);
  }

  /** Letters again where a piece holds whole ones, with · for the space before. */
  shown(tokens) {
    return tokens.map((token) =>
      SPECIALS.includes(token) ? token : this.tokenizer.text([token]).replaceAll(" ", "·"),
    );
  }
}

/** "I LOVE YOU", but not "NASA". */
function shouted(line) {
  const capitals = /\p{Uppercase}/u.test(line) && !/[\p{Lowercase}\p{Lt}]/u.test(line);
  return capitals && line.match(/\p{L}/gu).length > 4;
}

/** "good morning" -> "Good morning." for a model that has read finished sentences only. */
function finish(text) {
  const words = one_line(text);
  const [first, ...rest] = words;
  const added = /[\p{L}\p{N}]$/u.test(words) ? "." : "";
  return { words: first.toUpperCase() + rest.join("") + added, added, replaced: [] };
}

// --- stand_ins.py --------------------------------------------------------------------------------

/** Links, addresses, telephone numbers and emoji -> others, which the model has learned to copy. */
function replace_by_stand_ins(text, { pattern, some }) {
  const free = new Map(
    Object.entries(some).map(([kind, ones]) => [kind, ones.filter((one) => !text.includes(one))]),
  );
  const replaced = [];
  const words = text.replace(new RegExp(pattern, "gu"), (found, ...more) => {
    const kinds = Object.entries(more.at(-1)); // the groups, of which one has matched
    const [kind] = kinds.find(([, matched]) => matched !== undefined);
    if (!free.get(kind)?.length) return found;
    replaced.push([free.get(kind).shift(), found]);
    return replaced.at(-1)[0];
  });
  return { words, added: "", replaced };
}

/** The start of a text, with what was typed in place of stand-ins: of them all or nothing. */
function with_copies(text, end, replaced) {
  for (const [stand_in] of replaced) {
    const at = text.lastIndexOf(stand_in, end - 1);
    if (at >= 0 && at < end && end < at + stand_in.length) end = at;
  }
  const start = text.slice(0, end);
  return replaced.reduce((all, [stand_in, typed]) => all.replaceAll(stand_in, () => typed), start);
}

/** What was typed, in the places of its stand-ins; at the end, what the model has left out. */
function put_back(translation, replaced, { picture }) {
  const emoji = new RegExp(picture, "gu");
  const stand_ins = replaced.map(([stand_in]) => stand_in);
  const lost = stand_ins.filter((one) => one.match(emoji) && !translation.includes(one));
  const others = (translation.match(emoji) ?? []).filter((one) => !stand_ins.includes(one));
  for (const other of others.slice(0, lost.length)) { // the model may write another emoji
    translation = translation.replace(other, () => lost.shift());
  }
  for (const [stand_in, typed] of replaced) {
    const [letters] = stand_in.match(/^[a-z]*/); // the model may spell ww.example.com
    const rest = stand_in.includes("@") ? stand_in : stand_in.slice(letters.length);
    const escaped = rest.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const parts = translation.split(new RegExp((letters ? "[a-z]*" : "") + escaped, "u"));
    translation = parts.length > 1 ? parts.join(typed) : `${translation} ${typed}`;
  }
  return translation;
}

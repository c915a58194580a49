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

  /** A sentence, which begins without a space, and without bytes that form no letter. */
  detokenize(pieces) {
    return this.text(pieces).replaceAll("�", "").replace(/^ /, "");
  }
}

/** Both sides of a translator whose languages share their subwords; it reads any text. */
class SubwordLanguage {
  constructor({ pieces, merges, finished, stand_ins }, normalizer = new Normalizer()) {
    this.longest = 255; // subwords in a sentence, as in Python
    this.normalizer = normalizer;
    this.tokenizer = new Subwords(merges);
    this.vocab = [...SPECIALS, ...pieces];
    this.ids = new Map(this.vocab.map((token, id) => [token, id]));
    this.finished = finished;
    this.stand_ins = stand_ins;
    this.words = []; // it has no list: it reads any
  }

  /** Links and the like have stand-ins, and a line in capitals is read in small letters. */
  as_typed(line) {
    return replace_by_stand_ins(line, this.stand_ins, shouted(line));
  }

  /** What somebody typed -> { tokens, ids, typed }; InputError for what it can't read. */
  read(text) {
    const line = this.normalizer.read(one_line(text));
    const typed = {
      ...(this.finished ? finish(line) : this.as_typed(line)),
      numbers: this.normalizer.numbers(line),
    };
    const tokens = this.tokenizer.tokens(typed.words);
    if (tokens.length > this.longest) {
      throw new InputError(refusal("subwords", { count: tokens.length, most: this.longest }));
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
    return filled(own, this.places(own, replaced));
  }

  /** Where a translation has stand-ins, and what takes their places. */
  places(text, replaced) {
    return places(text, replaced, this.stand_ins);
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
function finish(words) {
  const [first, ...rest] = words;
  const added = /[\p{L}\p{N}]$/u.test(words) ? "." : "";
  return { words: first.toUpperCase() + rest.join("") + added, added, replaced: [], copied: [] };
}

// --- stand_ins.py --------------------------------------------------------------------------------

/** Links, numbers, emoji and the like -> others, which the model has learned to copy. */
function replace_by_stand_ins(text, { pattern, some, spanish, tag }, lower = false) {
  const between = (part) => (lower ? part.toLowerCase() : part);
  const [replaced, copied] = [[], []]; // the second: (what is read, what was typed)
  let [read, end] = ["", 0];
  for (const found of text.matchAll(new RegExp(pattern || "(?!)", "gu"))) {
    const [kind] = Object.entries(found.groups).find(([, matched]) => matched !== undefined);
    const [start, after] = [found.index, found.index + found[0].length];
    const taken = replaced.map(([stand_in]) => stand_in).filter(Boolean); // a tag has none
    const pair =
      kind === "tag"
        ? ["", place_of_tag(read + text.slice(end, start), text.slice(after), tag)]
        : free_stand_in(some[kind], text, taken);
    if (!pair) continue;
    read += between(text.slice(end, start)) + pair[0];
    end = after;
    if (pair[0]) copied.push([pair[0], found[0]]);
    const as_spanish = (typed, [one, other]) => typed.replace(new RegExp(one, "gu"), other);
    replaced.push([pair[1], (spanish[kind] ?? []).reduce(as_spanish, found[0])]);
  }
  const words = strip((read + between(text.slice(end))).replace(/ +/g, " "));
  if (!/[\p{L}\p{N}]/u.test(words)) return { words: text, added: "", replaced: [], copied: [] };
  return { words, added: "", replaced, copied };
}

/** A tag isn't read. The first of a sentence and the last have their places. */
function place_of_tag(before, after, tag) {
  if (!strip(before)) return "^";
  return strip(after.replace(new RegExp(tag, "gu"), "")) ? "" : "$";
}

/** The first stand-in, in English and Spanish, that can't be confused with what is there. */
function free_stand_in(some, text, taken) {
  const pairs = some.map((one) => (Array.isArray(one) ? one : [one, one]));
  return pairs.find(
    ([english, spanish]) =>
      !taken.some((other) => other.includes(spanish) || spanish.includes(other)) &&
      !text.includes(english) &&
      !text.includes(spanish),
  );
}

/** Where a translation has the stand-ins, in its order, and what takes their places. */
function places(translation, replaced, { picture }) {
  const spans = (pattern) =>
    [...translation.matchAll(new RegExp(pattern, "gu"))].map(({ 0: one, index }) => ({
      start: index,
      end: index + one.length,
    }));
  const [found, lost] = [[], []];
  for (const [stand_in, typed] of replaced) {
    const here = spans(as_written(stand_in));
    found.push(...here.map((span) => ({ ...span, typed })));
    if (!here.length) lost.push([stand_in, typed]);
  }
  const others = spans(picture).filter(
    ({ start }) => !found.some((place) => place.start <= start && start < place.end),
  );
  for (const [stand_in, typed] of lost) {
    const is_emoji = new RegExp(`^(?:${picture})`, "u").test(stand_in);
    // The model may write another emoji.
    if (others.length && is_emoji) found.push({ ...others.shift(), typed });
    else {
      const end = translation.length;
      found.push({ start: end, end, typed: ` ${typed}`, lost: true });
    }
  }
  return found.sort((a, b) => a.start - b.start || a.end - b.end);
}

/** A regular expression for a stand-in in a translation, where a link may be misspelled. */
function as_written(stand_in) {
  if (["^", "$", ""].includes(stand_in)) return stand_in || "(?!)";
  const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const [letters] = stand_in.match(/^[a-z]*/); // ww.example.com
  if (letters && !stand_in.includes("@")) return `[a-z]*${escaped(stand_in.slice(letters.length))}`;
  const before = /^\p{Nd}/u.test(stand_in) ? "(?<!\\p{Nd})(?<!\\p{Nd}[.,:])" : "";
  const after = /\p{Nd}$/u.test(stand_in) ? "(?![\\p{L}\\p{N}_]|[.,:]\\p{Nd})" : "";
  return before + escaped(stand_in) + after;
}

/** A translation up to some letter of it, with what was typed in its places: all of it or nothing. */
function filled(translation, places, until = translation.length) {
  let [text, end] = ["", 0];
  for (const place of places) {
    if (place.start > until) break;
    text += translation.slice(end, place.start);
    if (place.end > until) return text;
    text += place.typed;
    end = place.end;
    if (text.endsWith(".") && translation[end] === ".") end += 1; // one full stop is enough
  }
  return text + translation.slice(end, until);
}

"use strict";
// Text -> tokens -> ids, and back, with the messages of the Python library (tokens.py, user_input.py,
// languages.py). The rules by which English is cut are spaCy's; `rules` are the same regular
// expressions and exceptions, written for JavaScript by course.lab.

const SPECIALS = ["<pad>", "<bos>", "<eos>", "<unk>"];
const LONGEST = 64; // tokens in a sentence that somebody types
const SPACE = "\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const LINE_END = /\r\n|[\n-\r\x1c-\x1e\x85\u2028\u2029]/;

const CONTRACTIONS = {
  "n't": "not",
  nt: "not",
  ca: "can",
  wo: "will",
  sha: "shall",
  "'m": "am",
  "'re": "are",
  "'ve": "have",
  "'ll": "will",
};
// After one of these, 's is short for "is"; after a noun it marks the owner ("the queen's duck").
const BEFORE_IS = "he she it that there here who what where how".split(" ");
const NO_SPACE_BEFORE = [",", ".", ";", ":", "?", "!", ")", "»", "…", "...", "'s", "'d", "'"];
const NO_SPACE_AFTER = ["¿", "¡", "(", "«"];
const ENDS = [".", "?", "!", "…", "...", ";"]; // tokens after which another sentence would begin

/** A sentence that can't be translated; the message says why and what to do, as in Python. */
class InputError extends Error {
  /** unknown: the words that were not learned, where that is why. */
  constructor(message, unknown = []) {
    super(message);
    this.unknown = unknown;
  }
}

// --- tokens.py -----------------------------------------------------------------------------------

/** spaCy's tokenizer: exceptions first, then signs off both ends, then cuts inside. */
class Cutter {
  constructor({ prefix, suffix, infix, url, exceptions }) {
    this.prefix = new RegExp(prefix, "u");
    this.suffix = new RegExp(suffix, "u");
    this.infix = new RegExp(infix, "gu");
    this.url = new RegExp(url, "u");
    this.exceptions = new Map(Object.entries(exceptions));
  }

  /** The tokens of a text, without its spaces. */
  cut(text) {
    const pieces = text.split(new RegExp(`[${SPACE}]+`, "u")).filter((piece) => piece);
    return pieces.flatMap((piece) => this.mend(this.cut_piece(piece, this.exceptions)));
  }

  cut_piece(piece, exceptions) {
    const [before, after] = [[], []];
    let rest = piece;
    while (rest && !exceptions.has(rest)) {
      const [start] = rest.match(this.prefix) || [""];
      if (exceptions.has(rest.slice(start.length)) && start) {
        before.push(start);
        rest = rest.slice(start.length);
        break;
      }
      const [end] = rest.slice(start.length).match(this.suffix) || [""];
      const without_end = rest.slice(0, rest.length - end.length);
      if (exceptions.has(without_end) && end) {
        after.unshift(end);
        rest = without_end;
        break;
      }
      if (!start && !end) break;
      if (start) before.push(start);
      if (end) after.unshift(end);
      rest = rest.slice(start.length, rest.length - end.length);
    }
    return [...before, ...this.cut_inside(rest, exceptions), ...after];
  }

  cut_inside(rest, exceptions) {
    if (!rest) return [];
    if (exceptions.has(rest)) return exceptions.get(rest);
    if (this.url.test(rest)) return [rest];
    const tokens = [];
    let start = 0;
    for (const { 0: sign, index } of rest.matchAll(this.infix)) {
      if (index === 0) continue;
      tokens.push(rest.slice(start, index), sign);
      start = index + sign.length;
    }
    return [...tokens, rest.slice(start)].filter((token) => token);
  }

  has_signs(piece) {
    return [this.prefix, this.suffix, this.infix].some((signs) => piece.search(signs) >= 0);
  }

  /** Where tokens side by side are an exception that was cut all the same: the longest first. */
  mend(tokens) {
    for (let length = tokens.length; length > 0; length--) {
      for (let start = 0; start + length <= tokens.length; start++) {
        const these = tokens.slice(start, start + length);
        const whole = these.join("");
        if (!this.exceptions.has(whole) || !this.has_signs(whole)) continue;
        const cut = this.cut_piece(whole, new Map());
        if (cut.length !== length || cut.some((token, i) => token !== these[i])) continue;
        const left = this.mend(tokens.slice(0, start));
        return [...left, ...this.exceptions.get(whole), ...this.mend(tokens.slice(start + length))];
      }
    }
    return tokens;
  }
}

/** Cuts text of one language into tokens, and joins tokens to text again. */
class Tokenizer {
  constructor(language, proper, rules) {
    this.language = language;
    this.proper = new Map(proper.map((word) => [word.toLowerCase(), word]));
    this.rules = rules;
  }

  /** The tokens of one sentence: lower case, except for proper words. */
  tokens(text) {
    if (!this.cutter) this.cutter = new Cutter(this.rules);
    text = text.toLowerCase().normalize("NFC").replaceAll("’", "'");
    let words = this.cutter.cut(text);
    if (this.language === "en") words = write_out_contractions(words);
    return words.map((word) => this.proper.get(word) ?? word);
  }

  /** Properly written text: ¿ quién cruza la calle ? -> "¿Quién cruza la calle?". */
  detokenize(tokens) {
    let text = "";
    let glue = true; // true while the next token must follow without a space
    for (const token of tokens) {
      text += glue || NO_SPACE_BEFORE.includes(token) ? token : ` ${token}`;
      glue = NO_SPACE_AFTER.includes(token);
    }
    return text.replace(/\p{L}/u, (letter) => letter.toUpperCase());
  }
}

/** did n't -> did not, ca n't -> can not, it 's -> it is; the owner's 's stays. */
function write_out_contractions(words) {
  const full = [];
  words.forEach((word, i) => {
    const following = words[i + 1];
    if (word === "'s" && BEFORE_IS.includes(full.at(-1))) word = "is";
    else if (!["ca", "wo", "sha"].includes(word) || ["n't", "nt"].includes(following)) {
      word = Object.hasOwn(CONTRACTIONS, word) ? CONTRACTIONS[word] : word;
    }
    full.push(word);
  });
  return full;
}

// --- normalizing.py ------------------------------------------------------------------------------

/** How text is read: the model's own table of characters and rules; without them, as it is. */
class Normalizer {
  constructor({ characters = {}, rules = [], whole } = {}) {
    this.table = new Map(
      Object.entries(characters).flatMap(([read, several]) =>
        code_points(several).map((number) => [String.fromCodePoint(number), read]),
      ),
    );
    this.rules = rules.map(([pattern, read]) => [new RegExp(pattern, "gu"), read]);
    this.whole = new RegExp(`(${whole})`, "u");
  }

  read(text) {
    if (!this.table.size) return text;
    const parts = text.split(this.whole).map((part, i) => {
      if (i % 2) return part; // an emoji, or the like
      return Array.from(part, (sign) => this.table.get(sign) ?? sign).join("");
    });
    text = parts.join("").replace(/ +/g, " ").replace(/^ | $/g, "");
    return this.rules.reduce((all, [pattern, read]) => all.replace(pattern, () => read), text);
  }

  /** The numbers that a translation of this line must have; null: any will do. */
  numbers(line) {
    return this.table.size ? numbers_of(line) : null;
  }
}

/** "a0 2000-2002" -> 0xa0, 0x2000, 0x2001, 0x2002 */
function code_points(several) {
  return several.split(" ").flatMap((one) => {
    const [first, last = first] = one.split("-").map((number) => parseInt(number, 16));
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}

/** The digits and other numbers of a text, such as ½, in its order. */
function numbers_of(text) {
  return (text.match(/\p{N}/gu) ?? []).join(" ");
}

// --- user_input.py -------------------------------------------------------------------------------

/** The line without the space around it; InputError for anything but one line with a word. */
function one_line(text) {
  const broken = text.match(/\p{Cs}/u);
  if (broken) {
    const letter = [...text.slice(0, broken.index)].length + 1;
    throw new InputError(refusal("not_utf8", { letter }));
  }
  const lines = text.split(LINE_END).filter((line) => strip(line));
  if (lines.length > 1) {
    throw new InputError(refusal("lines", { count: lines.length }));
  }
  const words = strip(text);
  if (!words) throw new InputError(refusal("empty"));
  if (!/[\p{L}\p{N}]/u.test(words)) {
    const start = [...quoted(words)].slice(0, 40).join("");
    throw new InputError(refusal("no_word", { start }));
  }
  return words;
}

/** "I like trees!!" -> { words: "I like trees", mark: "!" }. Signs at the end are set aside. */
function one_sentence(words) {
  const [signs] = words.match(new RegExp(`[${SPACE}.?!…]*$`, "u"));
  words = words.slice(0, words.length - signs.length);
  if (signs.includes("?")) return { words: `${words}?`, mark: "" };
  if (signs.includes("!")) {
    const exclamation = words.toLowerCase().startsWith("what ");
    return exclamation ? { words: `${words}!`, mark: "" } : { words, mark: "!" };
  }
  const dots = signs.includes("…") || signs.includes("...");
  return { words, mark: dots ? "…" : strip(signs).slice(0, 1) };
}

/** InputError for more than one sentence, or for one that is too long. */
function check_tokens(tokens) {
  if (tokens.slice(0, -1).some((token) => ENDS.includes(token))) {
    throw new InputError(refusal("sentences"));
  }
  if (tokens.length > LONGEST) {
    throw new InputError(refusal("long", { count: tokens.length, most: LONGEST }));
  }
}

/** Which words a model has not learned, what may have been meant, and what it can read. */
function about_unknown(unknown, known, language) {
  const parts = unknown.map((word) => {
    const near = near_words(word, known).map(quoted);
    const meant = near.length ? say("did_you_mean", { words: near.join(say("or")) }) : "";
    return quoted(word) + meant;
  });
  const words = parts.join(", ");
  return refusal(language === "en" ? "unknown_english" : "unknown", { words, count: known.length });
}

/** Known words that may have been meant. */
function near_words(word, known) {
  return known.filter((other) => is_near(word, other)).slice(0, 3);
}

/** Is the other word what a slip of the finger makes of this one? */
function is_near(word, other) {
  let [a, b] = [[...word], [...other]];
  const length = a.length;
  if (length < 3 || Math.abs(length - b.length) > 1) return false;
  while (a.length && b.length && a[0] === b[0]) [a, b] = [a.slice(1), b.slice(1)];
  const rest = (letters, start) => letters.slice(start).join("");
  const exchanged = a.length > 1 && a.length === b.length && a[0] === b[1] && a[1] === b[0];
  if (exchanged && rest(a, 2) === rest(b, 2)) return true;
  if (length <= 3) return false;
  return rest(a, 1) === rest(b, 1) || rest(a, 1) === rest(b, 0) || rest(a, 0) === rest(b, 1);
}

/** The text in one line: a space for line breaks and other control characters. */
function without_controls(text) {
  return strip(text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, " "));
}

function strip(text) {
  return text.replace(new RegExp(`^[${SPACE}]+|[${SPACE}]+$`, "gu"), "");
}

/** A word in quotes, as Python writes it. */
function quoted(word) {
  const quote = word.includes("'") && !word.includes('"') ? '"' : "'";
  const short = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", [quote]: `\\${quote}` };
  const letters = [...word].map((letter) => {
    if (Object.hasOwn(short, letter)) return short[letter];
    if (letter === " " || !/[\p{C}\p{Z}]/u.test(letter)) return letter;
    const number = letter.codePointAt(0).toString(16);
    const [sign, digits] = number.length <= 2 ? ["x", 2] : number.length <= 4 ? ["u", 4] : ["U", 8];
    return `\\${sign}${number.padStart(digits, "0")}`;
  });
  return quote + letters.join("") + quote;
}

// --- languages.py --------------------------------------------------------------------------------

/** One side of a translator: how its text is cut, and which words it knows. */
class Language {
  constructor({ language, proper, words }, rules = null, normalizer = new Normalizer()) {
    this.longest = LONGEST;
    this.normalizer = normalizer;
    this.tokenizer = new Tokenizer(language, proper, rules);
    this.vocab = [...SPECIALS, ...words];
    this.ids = new Map(this.vocab.map((token, id) => [token, id]));
    // In the order of the alphabet, as Python sorts: by the numbers of the letters.
    this.words = words
      .filter((word) => /^[\p{L}\p{N}]/u.test(word))
      .map((word) => [word.toLowerCase(), word])
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([, word]) => word);
  }

  /** What somebody typed -> { tokens, ids, typed }; InputError for what it can't read. */
  read(text) {
    const line = this.normalizer.read(one_line(text));
    const typed = { ...one_sentence(line), replaced: [], numbers: this.normalizer.numbers(line) };
    const tokens = this.tokenizer.tokens(typed.words);
    check_tokens(tokens);
    const unknown = [...new Set(tokens.filter((token) => !this.ids.has(token)))];
    if (unknown.length) {
      throw new InputError(about_unknown(unknown, this.words, this.tokenizer.language), unknown);
    }
    return { tokens, ids: tokens.map((token) => this.ids.get(token)), typed };
  }

  tokens(ids) {
    return ids.map((id) => this.vocab[id]);
  }

  shown(tokens) {
    return tokens;
  }

  /** The text of a translation into this language, with the mark that was set aside. */
  answer(ids, { mark }) {
    const opening = mark === "!" && this.tokenizer.language === "es" ? "¡" : "";
    return opening + this.tokenizer.detokenize(this.tokens(ids)) + mark;
  }

  /** Where a translation has stand-ins: nowhere. */
  places() {
    return [];
  }
}

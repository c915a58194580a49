// Search: each word that is asked for must be in a section, as itself, as its beginning, or as
// another name of the same thing; where no section has all of them, those with the most are shown.
// Words such as "why" and "the" aren't looked for beside others. What is found nowhere is looked for
// once more with one letter missing, doubled or exchanged. The section that the glossary names for a
// term comes first, then what has the words in its heading; exercises come after what they are about.
// What there is to find, and the other names, come from build.py in a file of their own.
// open_search.js fetches both.

/** In lower case, without accents; d_k is dk, as people type it. */
const bareLetters = (text) =>
  text
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .replace(/^(\p{L})_(?=\p{L})/u, "$1");
const WORD = /[\p{L}\p{M}\p{N}_]+/gu;
const ROOT_SIGN = /√|square roots?( of)?/gi; // and √ is sqrt
const wordsOf = (text) => (text.replace(ROOT_SIGN, " sqrt ").match(WORD) ?? []).map(bareLetters);
const SMALL_WORDS = new Set(
  ("a an and are by can could did do does for from how i in is it many much my of on one or should that the " +
    "there this to was we what when where which who why with you").split(" "),
);
/** What is looked for: all words but the small ones, if there are others. */
function askedWords(text) {
  const all = wordsOf(text);
  const large = all.filter((word) => !SMALL_WORDS.has(word));
  return large.length ? large : all;
}
/** A name of the library as itself and as the words that it is made of. */
const apart = (name) => `${name} ${name.replace(/_|(?<=[a-z])(?=[A-Z])/g, " ")}`;

/** For each section, how many times each word occurs in it; made once. */
function counted(section) {
  section.counts ??= {
    heading: new Set(wordsOf(section.name ? apart(section.heading) : section.heading)),
    title: new Set(wordsOf(section.title)),
    text: Map.groupBy
      ? new Map([...Map.groupBy(wordsOf(section.text), (word) => word)].map(([w, all]) => [w, all.length]))
      : wordsOf(section.text).reduce((map, word) => map.set(word, (map.get(word) ?? 0) + 1), new Map()),
  };
  return section.counts;
}

let allWords; // of all sections
function vocabulary() {
  if (!allWords) {
    allWords = new Set();
    for (const section of window.found) {
      const { heading, title, text } = counted(section);
      for (const word of [...heading, ...title, ...text.keys()]) allWords.add(word);
    }
  }
  return allWords;
}

/** Is one word the other with a letter too few or too many, another one, or two exchanged? */
function isNear(a, b) {
  if (a.length > b.length) return isNear(b, a);
  if (b.length - a.length > 1) return false;
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  if (a.length < b.length) return a.slice(i) === b.slice(i + 1);
  const exchanged = a[i] === b[i + 1] && a[i + 1] === b[i] && a.slice(i + 2) === b.slice(i + 2);
  return exchanged || a.slice(i + 1) === b.slice(i + 1);
}

/** What of the texts answers a word that was typed: { word: how well }. */
function answers(typed) {
  const found = new Map();
  for (const word of vocabulary()) {
    if (word === typed) found.set(word, 1);
    else if (typed.length > 1 && word.startsWith(typed)) found.set(word, 0.6);
  }
  if (found.size || typed.length < 4) return found;
  for (const word of vocabulary()) {
    if (isNear(typed, word)) found.set(word, 0.5);
    // of a longer word only the beginning may have been typed
    else if (typed.length > 4 && word.length > typed.length + 1 &&
      [-1, 0, 1].some((more) => isNear(typed, word.slice(0, typed.length + more)))) found.set(word, 0.3);
  }
  return found;
}

/** Is this name asked for, and nothing else? 1: as it is; less for its beginning, or with a slip. */
function fits(name, asked) {
  if (asked.length > name.length) return 0;
  let fit = 1 - 0.1 * (name.length - asked.length);
  for (const [i, word] of asked.entries()) {
    if (word === name[i] || word === `${name[i]}s`) continue;
    if (word.length > 2 && name[i].startsWith(word)) fit -= 0.1;
    else if (word.length > 3 && isNear(word, name[i])) fit -= 0.15;
    else return 0;
  }
  return fit;
}

/** What must be there: for each word, or for the several words of a name, ways to be there. */
function wanted(asked) {
  const groups = asked.map((word) => ({ ways: [[answers(word)]] }));
  for (const term of window.terms) {
    for (const name of term.names) {
      const own = askedWords(name);
      const at = asked.findIndex((_, i) => own.every((word, j) => [word, `${word}s`].includes(asked[i + j])));
      if (at < 0) continue;
      const others = term.names.filter((other) => other !== name);
      const ways = others.map((other) => wordsOf(other).map((word) => new Map([[word, 0.9], [`${word}s`, 0.9]])));
      // The words of a name stand together: all of them, or all of another name.
      groups[at] = { ways: [own.map((_, j) => answers(asked[at + j])), ...ways, ...(groups[at].ways.slice(1))] };
      for (let j = 1; j < own.length; j++) groups[at + j] = { ways: [] };
    }
  }
  return groups.filter(({ ways }) => ways.length);
}

/** How well a section answers: { score, missing: the number of groups that it doesn't have }. */
function scoreOf(section, groups) {
  const { heading, title, text } = counted(section);
  let [score, missing, inHeading] = [0, 0, 0];
  for (const { ways } of groups) {
    let best = 0;
    let named = false;
    for (const way of ways) {
      let sum = 0;
      let all = true; // of its words in the heading, as they are
      for (const answer of way) {
        let most = 0;
        let there = false;
        for (const [word, how] of answer) {
          const times = Math.min(text.get(word) ?? 0, 10);
          most = Math.max(most, how * (20 * heading.has(word) + 8 * title.has(word) + times));
          there ||= how > 0.8 && heading.has(word);
        }
        if (!most) sum = -Infinity;
        sum += most / way.length;
        all &&= there;
      }
      best = Math.max(best, sum);
      named ||= all;
    }
    if (best) score += best;
    else missing += 1;
    inHeading += named;
  }
  // A heading that says all that was asked for, and little else, is what was meant.
  const meant = inHeading === groups.length ? (30 * groups.length) / heading.size : 0;
  return { score: (score + meant) * section.weight, missing };
}

function search() {
  const list = document.getElementById("search-found");
  list.replaceChildren();
  tell("");
  const asked = askedWords(words.value);
  if (!asked.length || !window.found) return;
  const groups = wanted(asked);
  const firsts = new Map();
  for (const { names, page } of window.terms) {
    const fit = Math.max(...names.map((name) => fits(askedWords(name), asked)));
    if (fit) firsts.set(page, Math.max(fit, firsts.get(page) ?? 0));
  }
  let hits = [];
  for (const section of window.found) {
    const { score, missing } = scoreOf(section, groups);
    const first = 1000 * (firsts.get(section.page) ?? 0);
    if (score + first > 0) hits.push([score + first, section, first ? 0 : missing]);
  }
  const least = Math.min(...hits.map(([, , missing]) => missing));
  hits = hits.filter(([, , missing]) => missing === least);
  hits.sort(([one], [other]) => other - one);
  tell(hits.length === 1 ? siteText("one_section") : siteText("sections", { count: hits.length }));
  const seen = new Set(groups.flatMap(({ ways }) => ways.flatMap((way) => way.flatMap((answer) => [...answer.keys()]))));
  for (const [, section] of hits.slice(0, 30)) list.append(hit(section, seen));
}

function hit(section, seen) {
  const link = document.createElement("a");
  link.href = section.page;
  const heading = document.createElement("strong");
  marked(heading, section.heading, seen);
  const where = document.createElement("span");
  where.textContent = ` · ${section.title}`;
  const context = document.createElement("small");
  marked(context, snippet(section.text, seen), seen);
  link.append(heading, where, context);
  link.addEventListener("click", () => dialog.close());
  const item = document.createElement("li");
  item.append(link);
  return item;
}

/** Some words around the first that was found: whole ones, with … where more stand. */
function snippet(text, seen) {
  const first = [...text.matchAll(WORD)].find(([word]) => seen.has(bareLetters(word)))?.index ?? 0;
  const start = first < 60 ? 0 : text.indexOf(" ", first - 60) + 1;
  const cut = text.length > start + 160 ? text.lastIndexOf(" ", start + 160) : text.length;
  const end = cut > first ? cut : text.length;
  return (start ? "… " : "") + text.slice(start, end) + (end < text.length ? " …" : "");
}

function marked(element, text, seen) {
  let last = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (!seen.has(bareLetters(word))) continue;
    const mark = document.createElement("mark");
    mark.textContent = word;
    element.append(text.slice(last, index), mark);
    last = index + word.length;
  }
  element.append(text.slice(last));
}

words.addEventListener("input", search);

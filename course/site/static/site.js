// What makes reading easier. Everything can be read without it.

// --- code can be copied ---

for (const box of document.querySelectorAll(".code")) {
  const frame = document.createElement("div");
  frame.className = "frame";
  box.replaceWith(frame);
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(box.querySelector("code").textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(box.querySelector("code")); // by hand, then
      button.textContent = "Selected";
    }
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  frame.append(box, button);
}

// --- what scrolls sideways can be reached with the keyboard ---

function reachable() {
  for (const box of document.querySelectorAll(".wide")) {
    if (box.scrollWidth > box.clientWidth + 1) {
      box.tabIndex = 0;
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", "scrolls sideways");
    } else if (box.hasAttribute("tabindex")) {
      for (const name of ["tabindex", "role", "aria-label"]) box.removeAttribute(name);
    }
  }
}
reachable();
addEventListener("resize", reachable);
document.addEventListener("toggle", reachable, true);

// --- a guess is compared as `reveal` of the library does ---

function numberIn(text) {
  const plain = text.replace(/(\d)[, ](?=\d{3}\b)/g, "$1").trim();
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain) ? Number(plain) : null;
}

function compared(guess, measured) {
  const right = numberIn(measured);
  if (right !== null) {
    const number = numberIn(guess);
    if (number === null) return "your guess is not a number";
    const off = Math.abs(number - right);
    const near = off <= 0.005 * Math.max(Math.abs(number), Math.abs(right));
    return near ? "right" : `off by ${Number(off.toPrecision(3))}`;
  }
  const bare = (text) => text.replace(/[\s"'()[\]]/g, "").toLowerCase();
  return bare(guess) === bare(measured) ? "right" : "another one";
}

for (const form of document.querySelectorAll(".guess")) {
  form.hidden = false;
  const answer = form.nextElementSibling;
  const output = answer.querySelector(".output");
  const printed = output.textContent;
  output.setAttribute("role", "status");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const guess = form.querySelector("input").value.trim();
    answer.open = true;
    output.textContent = !guess ? printed : printed.replace(
      /^your guess: none yet\nit is (.*)$/m,
      (_, measured) => `your guess: ${guess}\nit is ${measured}: ${compared(guess, measured)}`,
    );
  });
}

// --- a link into something folded opens it; on paper everything is open ---

/** What stands after #, or nothing if it can't be read: an address is somebody else's text. */
function anchor() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
}

function unfold() {
  const target = document.getElementById(anchor());
  for (let box = target?.closest("details"); box; box = box.parentElement.closest("details")) {
    box.open = true;
  }
  target?.scrollIntoView();
}
addEventListener("hashchange", unfold);
if (location.hash) unfold();

let closed = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("details:not([open])")];
  for (const box of closed) box.open = true;
});
addEventListener("afterprint", () => {
  for (const box of closed) box.open = false;
});

// --- search: all words must be in a section; those in its heading count most ---

const dialog = document.getElementById("search");
const words = document.getElementById("search-words");
const opener = document.getElementById("search-button");
opener.hidden = false;

function openSearch() {
  if (!window.found && !document.querySelector("script[src='search.js']")) {
    const script = document.createElement("script"); // a page opened as a file may load scripts only
    script.src = "search.js";
    script.onload = search;
    document.head.append(script);
  }
  dialog.showModal();
  words.select();
}
opener.addEventListener("click", openSearch);
addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === "k") {
    event.preventDefault();
    openSearch();
  }
});

const bareLetters = (text) => text.normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase();

function search() {
  const list = document.getElementById("search-found");
  const count = document.getElementById("search-count");
  list.replaceChildren();
  count.textContent = "";
  const asked = bareLetters(words.value).split(/\s+/).filter(Boolean);
  if (!asked.length || !window.found) return;
  const hits = [];
  for (const section of window.found) {
    section.bareHeading ??= bareLetters(`${section.title} ${section.heading}`);
    section.bareText ??= bareLetters(section.text);
    let score = 0;
    for (const word of asked) {
      const inHeading = section.bareHeading.includes(word);
      const inText = section.bareText.split(word).length - 1;
      score = inHeading || inText ? score + 20 * inHeading + Math.min(inText, 10) : -Infinity;
    }
    if (score > 0) hits.push([score, section]);
  }
  hits.sort(([one], [other]) => other - one);
  count.textContent = hits.length === 1 ? "1 section" : `${hits.length} sections`;
  for (const [, section] of hits.slice(0, 30)) {
    const link = document.createElement("a");
    link.href = section.page;
    const heading = document.createElement("strong");
    heading.textContent = section.heading;
    const where = document.createElement("span");
    where.textContent = ` · ${section.title}`;
    const context = document.createElement("small");
    const at = Math.max(0, section.bareText.indexOf(asked[0]) - 60);
    marked(context, section.text.slice(at, at + 160), asked);
    link.append(heading, where, context);
    link.addEventListener("click", () => dialog.close());
    const item = document.createElement("li");
    item.append(link);
    list.append(item);
  }
}

function marked(element, text, asked) {
  const escaped = asked.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  for (const piece of text.split(new RegExp(`(${escaped.join("|")})`, "i"))) {
    const found = asked.includes(bareLetters(piece));
    const part = document.createElement(found ? "mark" : "span");
    part.textContent = piece;
    element.append(part);
  }
}
words.addEventListener("input", search);
document.getElementById("search-close").addEventListener("click", () => dialog.close());
dialog.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault(); // Enter: to the first one found
  dialog.querySelector("#search-found a")?.click();
});

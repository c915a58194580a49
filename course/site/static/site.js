// What makes reading easier. Everything can be read without it.

// --- code can be copied ---

for (const box of document.querySelectorAll(".code")) {
  const frame = document.createElement("div");
  frame.className = "frame";
  box.replaceWith(frame);
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = siteText("copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(box.querySelector("code").textContent);
      button.textContent = siteText("copied");
    } catch {
      getSelection().selectAllChildren(box.querySelector("code")); // by hand, then
      button.textContent = siteText("selected");
    }
    setTimeout(() => (button.textContent = siteText("copy")), 2000);
  });
  frame.append(box, button);
}

// --- what scrolls sideways can be reached with the keyboard ---

function reachable() {
  for (const box of document.querySelectorAll(".wide")) {
    if (box.scrollWidth > box.clientWidth + 1) {
      box.tabIndex = 0;
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", siteText("sideways"));
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
    if (number === null) return siteText("no_number");
    const off = Math.abs(number - right);
    const near = off <= 0.005 * Math.max(Math.abs(number), Math.abs(right));
    return near ? siteText("right") : siteText("off_by", { number: Number(off.toPrecision(3)) });
  }
  const bare = (text) => text.replace(/[\s"'()[\]]/g, "").toLowerCase();
  return bare(guess) === bare(measured) ? siteText("right") : siteText("another");
}

for (const form of document.querySelectorAll(".guess")) {
  form.hidden = false;
  let answer = form;
  while (!answer.matches(".answer")) answer = answer.nextElementSibling; // below the code
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

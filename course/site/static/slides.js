// Keys for a lecturer. Without them the slides can be scrolled.

const slides = [...document.querySelectorAll("section")];

function shown() {
  return slides.findIndex((slide) => slide.getBoundingClientRect().bottom > innerHeight / 2);
}

const keys = {
  ArrowRight: () => shown() + 1,
  ArrowDown: () => shown() + 1,
  PageDown: () => shown() + 1,
  " ": () => shown() + 1,
  ArrowLeft: () => shown() - 1,
  ArrowUp: () => shown() - 1,
  PageUp: () => shown() - 1,
  Home: () => 0,
  End: () => slides.length - 1,
};

addEventListener("keydown", (event) => {
  if (event.target.closest("input, select, button, summary, a, dialog") || event.ctrlKey || event.metaKey) return;
  if (event.key in keys) {
    event.preventDefault();
    slides[keys[event.key]()]?.scrollIntoView();
  } else if (event.key === "f") {
    const root = document.documentElement; // phones may have no full screen, others refuse it
    (document.fullscreenElement ? document.exitFullscreen() : root.requestFullscreen?.())?.catch(() => {});
  } else if (event.key === "n") {
    const words = slides[shown()].querySelector(".in-words");
    if (words) words.open = !words.open;
  }
});

"use strict";
// Light or dark, before the page is drawn: as chosen on an earlier page, else as the system has it.
// Pages of the site and the laboratories share the choice, and what is printed is always light.

function follow_theme(chosen) {
  if (["light", "dark"].includes(chosen)) document.documentElement.dataset.theme = chosen;
}
try {
  follow_theme(localStorage.getItem("theme"));
} catch {
  // a browser that stores nothing for files: the system's theme
}
addEventListener("storage", ({ key, newValue }) => key === "theme" && follow_theme(newValue));

addEventListener("DOMContentLoaded", () => {
  const button = document.getElementById("theme-button");
  if (!button) return; // a slide has no room for it
  button.hidden = false;
  button.addEventListener("click", () => {
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    const now = document.documentElement.dataset.theme || system;
    follow_theme(now === "dark" ? "light" : "dark");
    try {
      localStorage.setItem("theme", document.documentElement.dataset.theme);
    } catch {
      // this page only
    }
  });
});

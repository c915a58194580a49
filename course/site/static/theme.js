// Before the page is drawn: the theme chosen on an earlier page, if any. The system's otherwise.
try {
  const chosen = localStorage.getItem("theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
} catch {
  // a browser that stores nothing for files: the system's theme
}

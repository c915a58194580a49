// A picture that the window makes small opens at its full size, by a tap or a key: it then fills
// the screen, scrolls both ways, and can be pinched. Escape closes it.

{
  const dialog = document.createElement("dialog");
  dialog.className = "enlarged";
  dialog.innerHTML = '<form method="dialog"><button autofocus></button></form>'
    + '<div class="scrolls" tabindex="0" role="group" ></div>';
  dialog.querySelector("button").textContent = siteText("close");
  const place = dialog.querySelector(".scrolls");
  place.ariaLabel = siteText("picture");
  let from = null; // a loop comes itself and goes back; of a picture there is a second one

  function enlarge(picture) {
    dialog.setAttribute("aria-label", picture.alt);
    const loop = picture.closest(".loop");
    if (loop) {
      from = document.createElement("div");
      from.style.height = `${loop.offsetHeight}px`;
      loop.replaceWith(from);
      place.append(loop);
    } else {
      const copy = picture.cloneNode();
      copy.removeAttribute("loading");
      place.append(copy);
    }
    // As wide as it was drawn, or as the window where that is wider, as long as all of it is seen.
    const [wide, high] = ["width", "height"].map((side) => Number(picture.getAttribute(side)));
    const fits = Math.min(innerWidth - 32, ((innerHeight - 80) * wide) / high);
    place.style.setProperty("--wide", `${Math.max(wide, fits)}px`);
    dialog.showModal();
    place.scrollTo(0, 0);
  }
  dialog.addEventListener("close", () => {
    if (from) from.replaceWith(place.firstChild);
    from = null;
    place.replaceChildren();
  });

  const SMALLEST = 11 / 12; // a figure's notes have 12 pixels where it is as wide as it was drawn
  const ways = [];
  for (const picture of document.querySelectorAll(".picture img, .thumbnail img")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "enlarge";
    button.textContent = siteText("enlarge");
    button.setAttribute("aria-haspopup", "dialog");
    button.addEventListener("click", () => {
      enlarge(picture);
      dialog.addEventListener("close", () => button.focus(), { once: true });
    });
    const box = picture.closest(".loop, .chart, .view") || picture;
    const frame = document.createElement("div");
    frame.className = "enlargeable";
    box.replaceWith(frame);
    frame.append(box, button);
    frame.addEventListener("click", (event) => {
      if (!button.hidden && event.target.closest("img, .loop > svg")) button.click();
    });
    ways.push([picture, frame, button]);
  }

  /** A way to enlarge stands where a picture is smaller than it was drawn, by more than a little. */
  function offer() {
    if (dialog.open) return;
    for (const [picture, frame, button] of ways) {
      const shown = frame.querySelector(".loop[data-alive=yes] > svg") || picture;
      const wide = shown.getBoundingClientRect().width;
      button.hidden = !picture.isConnected || (wide > 0 && wide >= SMALLEST * picture.getAttribute("width"));
      frame.classList.toggle("small", !button.hidden);
    }
  }
  document.body.append(dialog);
  offer();
  addEventListener("resize", offer);
  addEventListener("load", offer);
  document.addEventListener("toggle", offer, true);
}

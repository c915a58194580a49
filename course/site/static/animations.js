// Figures that move: the stored picture makes room for a loop that can be paused. Who asks the
// system for less motion keeps the picture, and may start the loop. Without JavaScript, and on
// paper, the picture stays.

{
  const still = matchMedia("(prefers-reduced-motion: reduce)");

  for (const box of document.querySelectorAll(".loop")) {
    box.append(box.querySelector("template").content.cloneNode(true));
    const film = box.querySelector(":scope > svg");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "play";
    box.append(button);

    let wanted, near = true;
    /** Moves, and is seen: what is out of sight rests. The figure whole, where it hasn't begun. */
    function follow() {
      const runs = wanted && near;
      film.style.setProperty("--state", runs ? "running" : "paused");
      button.textContent = siteText(wanted ? "pause" : "play");
      button.setAttribute("aria-label", siteText("motion", { what: button.textContent }));
    }
    function play(on) {
      wanted = on;
      box.dataset.alive = on || box.dataset.alive === "yes" ? "yes" : "no";
      follow();
    }
    button.addEventListener("click", () => {
      film.classList.add("asked"); // by hand, whatever the system says
      play(!wanted);
    });
    still.addEventListener("change", () => {
      film.classList.remove("asked");
      box.dataset.alive = "no";
      play(!still.matches);
    });
    new IntersectionObserver(([entry]) => {
      near = entry.isIntersecting;
      follow();
    }).observe(box);
    play(!still.matches);
  }
}

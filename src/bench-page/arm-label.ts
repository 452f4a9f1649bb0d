import { armColour } from "./colours.js";
import { element } from "./element.js";

/** A strategy's name beside its colour. */
export function armLabel(arm: string, index: number): HTMLElement {
  const swatch = element("span", { class: "swatch", "aria-hidden": "true" });
  swatch.style.background = armColour(index);
  return element("span", { class: "arm" }, swatch, arm);
}

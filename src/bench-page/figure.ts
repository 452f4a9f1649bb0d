import { element } from "./element.js";

/** A chart that is drawn again when its width changes. */
export interface ChartFigure {
  readonly figure: HTMLElement;
  /** Draws it again, for another choice. */
  redraw(): void;
}

/** A figure with a caption around a chart that fills its width. */
export function chartFigure(caption: string, draw: (width: number) => Element): ChartFigure {
  const place = element("div", { class: "chart" });
  const figure = element("figure", {}, element("figcaption", {}, caption), place);
  let width = 0;
  const redraw = () => {
    if (width > 0) place.replaceChildren(draw(width));
  };
  new ResizeObserver(([entry]) => {
    const now = Math.floor(entry?.contentRect.width ?? 0);
    if (now === width) return;
    width = now;
    redraw();
  }).observe(place);
  return { figure, redraw };
}

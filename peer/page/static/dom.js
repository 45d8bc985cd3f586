// Making elements.  There is no HTML in strings anywhere: text is text.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") {
      for (const [kind, listener] of Object.entries(value)) element.addEventListener(kind, listener);
    } else if (name === "data") {
      Object.assign(element.dataset, value);
    } else {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined));
  return element;
}

export const h = (tag, props, ...children) => fill(document.createElement(tag), props, children);

export const s = (tag, props, ...children) =>
  fill(document.createElementNS(SVG, tag), props, children);

export const button = (text, action, props = {}) =>
  h("button", { type: "button", on: { click: action }, ...props }, text);

/** Replace the children of `element` unless they would be the same, told by `key`. */
export function refill(element, key, make) {
  const text = JSON.stringify(key);
  if (element.dataset.key === text) return false;
  element.dataset.key = text;
  element.replaceChildren(...[make()].flat(3).filter((child) => child !== null));
  return true;
}

export const $ = (selector) => document.querySelector(selector);

export const prefersStill = () =>
  document.documentElement.dataset.motion === "still" ||
  matchMedia("(prefers-reduced-motion: reduce)").matches;

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

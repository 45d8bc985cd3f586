// The drawings: cards, houses, people.  Colours come with a shape and a letter, always.

import { h, s } from "./dom.js";
import { cardName, colourName, t } from "./words.js";

export const colourOf = (face) => Math.floor(face / 8);
export const valueOf = (face) => (face % 8) + 1;

const SHAPES = [
  (x, y, r) => s("path", { d: `M${x} ${y - r * 1.12}L${x + r} ${y}L${x} ${y + r * 1.12}L${x - r} ${y}z` }),
  (x, y, r) => s("circle", { cx: x, cy: y, r: r * 0.94 }),
  (x, y, r) => s("path", { d: `M${x} ${y - r * 1.1}L${x + r * 1.12} ${y + r * 0.86}L${x - r * 1.12} ${y + r * 0.86}z` }),
  (x, y, r) => s("rect", { x: x - r * 0.86, y: y - r * 0.86, width: r * 1.72, height: r * 1.72, rx: r * 0.12 }),
];

// What each card does, as a sign 16 wide and 14 high.
const SIGNS = [
  "M1 7c4-7 10-7 14 0-4 7-10 7-14 0zM8 5a2 2 0 1 0 .01 0z",
  "M3 5h10v8H3zM8 9V1M5 4l3-3 3 3",
  "M6 4h4l2 8H4zM8 4V1M5 1h6M1 8h1M14 8h1M2 3l1 1M14 3l-1 1",
  "M1 4h11M9 1l3 3-3 3M15 10H4M7 7l-3 3 3 3",
  "M4 1h8L8 7l4 6H4l4-6z",
  "M4 13V2M1 5l3-3 3 3M12 1v11M9 9l3 3 3-3",
  "M2 12h12M2 10l-1-7 4 3 3-5 3 5 4-3-1 7z",
  "M3 10h10c-2-2-1-8-5-8s-3 6-5 8zM8 2V1M7 12h2",
];

export const sign = (value, props = {}) =>
  s("path", { d: SIGNS[value - 1], class: "sign", ...props });

export function shape(colour, size = 20) {
  return s("svg", { viewBox: "-10 -10 20 20", width: size, height: size, class: `ink${colour}`, "aria-hidden": "true" },
    SHAPES[colour](0, colour === 2 ? 1 : 0, 8));
}

/** Shape, letter and, for a card, value: what stands for it within a line. */
export function chip(colour, value = "") {
  return h("span", { class: `chip paint${colour}`, "aria-hidden": "true" },
    shape(colour, 11), `${t(`letter.${colour}`)}${value}`);
}

export const faceChip = (face) => chip(colourOf(face), valueOf(face));

export function cardArt(face) {
  const svg = s("svg", { viewBox: "0 0 60 84", "aria-hidden": "true", focusable: "false" });
  if (face < 0) {
    svg.append(
      s("rect", { x: 1, y: 1, width: 58, height: 82, rx: 6, class: "back" }),
      s("rect", { x: 5, y: 5, width: 50, height: 74, rx: 4, class: "backline" }),
      s("circle", { cx: 30, cy: 34, r: 13, class: "backmoon" }),
      s("path", { class: "bat", d: "M7 44c6-8 12-8 16-3l3-6 4 4 4-4 3 6c4-5 10-5 16 3-6-1-10 0-13 5-2-3-5-3-10 3-5-6-8-6-10-3-3-5-7-6-13-5z" }),
    );
    return svg;
  }
  const colour = colourOf(face);
  const value = valueOf(face);
  svg.append(
    s("rect", { x: 1, y: 1, width: 58, height: 82, rx: 6, class: "paper" }),
    s("text", { x: 9.5, y: 18, class: `corner ink${colour}` }, String(value)),
    s("text", { x: 50.5, y: 17, class: `letter ink${colour}` }, t(`letter.${colour}`)),
    s("g", { class: `ink${colour}` }, SHAPES[colour](30, 41, 19)),
    s("text", { x: 30, y: colour === 2 ? 53 : 49, class: `value on${colour}` }, String(value)),
    s("g", { transform: "translate(22 67)" }, sign(value)),
  );
  return svg;
}

const HOUSES = [
  // The abbey, the church, the inn, the lighthouse, the fisher's cottages.
  "M4 56V30l6-12 6 12v6h8V26h4v10h8V26h4v10h8V26h4v10h8V26h4v10h8V24l8-16 8 16v32z",
  "M6 56V34l18-10V14l7-12 7 12v10l50 0 8 10v22z",
  "M4 56V30l14-16h64l14 16v26zM24 14V6h7v8z",
  "M8 56V40h26l3-30h-4V6h5l4-5 4 5h5v4h-4l3 30h46v16z",
  "M3 56V36l14-14 14 14v4l14-16 14 16v-4l12-12 12 12 14-2v22z",
];
const WINDOWS = [[20, 36, 56, 72], [20, 44, 60, 76], [18, 38, 58, 78], [14, 62, 74, 86], [14, 42, 66, 82]];

export function houseArt(district, vampires) {
  const svg = s("svg", { viewBox: "0 0 100 84", "aria-hidden": "true", focusable: "false", class: "house" });
  svg.append(s("path", { d: HOUSES[district], class: "walls" }));
  WINDOWS[district].forEach((x, person) => {
    const lit = person >= vampires;
    svg.append(s("path", { d: `M${x - 3} 52v-7c0-4 6-4 6 0v7z`, class: lit ? "lit" : "dark" }));
  });
  for (let person = 0; person < 4; person++) {
    svg.append(s("g", { transform: `translate(${4 + person * 24} 57)` }, ...figure(person < vampires)));
  }
  return svg;
}

function figure(isVampire) {
  if (!isVampire) {
    return [
      s("circle", { cx: 10, cy: 7, r: 5.5, class: "human" }),
      s("path", { d: "M2 26c0-16 16-16 16 0z", class: "human" }),
    ];
  }
  return [
    s("path", { d: "M10 27L0 4l6 4 4-6 4 6 6-4z", class: "vampire" }),
    s("circle", { cx: 10, cy: 10, r: 4.6, class: "pale" }),
    s("path", { d: "M8 12l1 3 1-2.4 1 2.4 1-3z", class: "fangs" }),
  ];
}

/** A sentence of ours with a chip before each card that it names. */
export function dressed(text) {
  const found = [];
  for (let face = 0; face < 32; face++) {
    const name = cardName(face);
    for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
      found.push([at, at + name.length, faceChip(face)]);
    }
  }
  if (!found.length) {
    for (let colour = 0; colour < 4; colour++) {
      const at = text.indexOf(colourName(colour));
      if (at >= 0) found.push([at, at, chip(colour)]);
    }
  }
  found.sort((one, other) => one[0] - other[0]);
  const parts = [];
  let end = 0;
  for (const [from, to, picture] of found) {
    parts.push(text.slice(end, from), h("span", { class: "named" }, picture, h("span", { class: "said" }, text.slice(from, to))));
    end = to;
  }
  return [...parts, text.slice(end)];
}

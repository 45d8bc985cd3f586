// What lies beside the table: dialogs, the story, the talk, the proof.

import { dressed, chip, faceChip, shape, sign } from "./art.js";
import { $, button, h, refill, s } from "./dom.js";
import { cardName, colourName, language, languages, preferLanguage, t } from "./words.js";
import { dress, wish, wishes } from "./wishes.js";

/** A dialog with a title and a way out; `fill` makes what is in it, each time it is opened. */
export function open(title, ...content) {
  $("dialog")?.remove();
  const dialog = h("dialog", { "aria-labelledby": "dialog-title" },
    h("header", {}, h("h2", { id: "dialog-title" }, title),
      button("×", () => dialog.close(), { class: "icon", "aria-label": t("close") })),
    h("div", { class: "content", tabindex: "0", role: "group", "aria-labelledby": "dialog-title" }, ...content));
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.querySelectorAll(".content > :empty").forEach((one) => one.remove());
  dialog.showModal();
  return dialog;
}

const paragraphs = (key, count) => Array.from({ length: count }, (_, at) => h("p", {}, t(`${key}.${at + 1}`)));

export function help() {
  const keys = ["d", "c", "15", "0", "colours", "arrows", "enter", "esc", "t", "help"];
  open(t("help.title"),
    h("h3", {}, t("rules.title")), ...paragraphs("rules", 5),
    h("h3", {}, t("effects.title")),
    h("ol", { class: "effects" }, Array.from({ length: 8 }, (_, at) =>
      h("li", { value: at + 1 }, s("svg", { viewBox: "0 0 16 14", width: 22, "aria-hidden": "true" }, sign(at + 1)), h("span", {}, t(`effect.${at + 1}`))))),
    h("h3", {}, t("look.title")),
    h("ul", { class: "looks" },
      ["hidden", "known", "up"].map((lies) => h("li", { class: `look ${lies}` }, t(`look.${lies}`))),
      [0, 1, 2, 3].map((colour) => h("li", {}, shape(colour, 16), ` ${t(`letter.${colour}`)}: ${colourName(colour)}`))),
    h("h3", {}, t("keys.title")),
    h("dl", { class: "keys" }, keys.map((key) => [h("dt", {}, h("kbd", {}, t(`key.${key}`))), h("dd", {}, t(`key.${key}.does`))])));
}

export function fairness(state) {
  const proven = state.proven;
  const rows = proven && [
    ["signed", proven.entries], ["shuffles", proven.shuffles], ["shares", proven.shares], ["coins", proven.coins],
  ];
  open(t("fair.title"),
    state.verified
      ? h("p", { class: "verified" }, "✓ ", t("fair.verified", { game: state.verified.game }))
      : proven && (proven.complete ? h("p", { class: "verified" }, "✓ ", t("fair.complete")) : h("p", {}, t("fair.so-far"))),
    rows && h("ul", { class: "proofs" }, rows.map(([key, n]) => h("li", {}, h("b", {}, String(n)), " ", t(`fair.${key}`, { n })))),
    proven && h("div", {}, h("h3", {}, t("fair.head")), h("p", {}, t("fair.head.why", { n: proven.entries })),
      h("p", { class: "head" }, proven.head.match(/.{4}/g).map((four, at) => h("span", { class: at < 4 ? "strong" : "" }, four, " ")))),
    state.seat && h("p", {}, t("fair.key", { name: state.seat.name || t("nobody") }), " ", h("code", {}, state.seat.fingerprint)),
    state.verified && h("details", {}, h("summary", {}, t("fair.summary")), h("pre", {}, state.verified.text.join("\n"))),
    h("h3", {}, t("how.title")), ...paragraphs("how", 5));
}

export function settings(changed, send) {
  const row = (name, values) => h("fieldset", {}, h("legend", {}, t(`wish.${name}`)),
    values.map((value) => h("label", {},
      h("input", { type: "radio", name, value, checked: wishes[name] === value, on: { change: () => { wish(name, value); changed(); } } }),
      " ", t(`wish.${name}.${value}`))));
  const tongues = h("fieldset", {}, h("legend", {}, t("wish.lang")),
    Object.entries(languages).map(([code, name]) => h("label", { lang: code },
      h("input", { type: "radio", name: "lang", value: code, checked: code === language, on: { change: () => { preferLanguage(code); send({ lang: code }); } } }),
      " ", name)));
  open(t("settings.title"),
    tongues, row("theme", ["auto", "dark", "light"]), row("sound", ["off", "on"]), row("motion", ["auto", "still"]),
    row("guide", ["first", "on", "off"]), row("advice", ["off", "on"]), row("mute", ["off", "on"]));
}

export function discards(scene) {
  const lying = scene.discards.map((card) => card.f);
  open(t("discards.title"),
    h("p", {}, t("discards.order")),
    h("ol", { class: "discards" }, lying.map((face) => h("li", {}, faceChip(face), h("span", { class: "said" }, ` ${cardName(face)}`)))),
    h("h3", {}, t("discards.by-colour")),
    h("table", { class: "counted" }, [0, 1, 2, 3].map((colour) => h("tr", {},
      h("th", { scope: "row" }, chip(colour), ` ${colourName(colour)}`),
      Array.from({ length: 8 }, (_, at) => h("td", { class: lying.includes(colour * 8 + at) ? "out" : "" },
        lying.includes(colour * 8 + at) ? String(at + 1) : "·"))))));
}

/** Ways to end a game early, the one of which that can't be taken back asks first. */
export function more(state, send, links) {
  const way = (key, action, props) => h("li", {}, button(t(`more.${key}`), action, { class: "answer", ...props }), h("p", {}, t(`more.${key}.what`)));
  const dialog = open(t("more.title"), h("ul", { class: "ways" },
    ...links.map(([key, action]) => way(key, () => { dialog.close(); action(); })),
    state.stage === "playing" && !state.result && [
      way("resign", () => confirmResign(send), { class: "answer bad" }),
      way("propose", () => { dialog.close(); send({ quit: "propose" }); }),
      way("claim", () => { dialog.close(); send({ quit: "claim" }); })],
    state.plays && state.stage !== "closed" && way("leave", () => { dialog.close(); send({ quit: "leave" }); })));
}

function confirmResign(send) {
  const dialog = open(t("more.resign"), h("p", {}, t("resign.sure")), h("div", { class: "answers" },
    button(t("resign.yes"), () => { dialog.close(); send({ quit: "resign" }); }, { class: "answer bad" }),
    button(t("resign.no"), () => dialog.close(), { class: "answer main" })));
}

export function invitation(root, told) {
  root.hidden = !told;
  if (!told) return;
  refill(root, told, () => {
    const text = h("textarea", { readonly: true, rows: 3, "aria-label": t("invite.label") }, told.text);
    const copy = button(t("invite.copy"), async () => {
      text.select();
      try {
        await navigator.clipboard.writeText(told.text);
        copy.textContent = t("invite.copied");
      } catch {
        copy.textContent = t("invite.by-hand");
      }
    }, { class: "answer main" });
    return [h("h2", {}, t("invite.title")), h("p", {}, t("invite.what")), text, copy,
      h("p", { class: "small" }, t("invite.at", { at: told.at.join(", ") })),
      h("p", { class: "small" }, t("invite.command"), " ", h("code", {}, "whitby join …"))];
  });
}

export class Story {
  constructor(root) {
    this.list = h("ol", { class: "log", tabindex: "0", "aria-label": t("log.title") });
    root.append(h("h2", {}, t("log.title")), this.list);
  }

  reset() { this.list.replaceChildren(); }

  add(events) {
    for (const event of events) {
      this.list.append(h("li", { class: `e-${event.k}` }, dressed(event.text)));
    }
    this.list.scrollTop = this.list.scrollHeight;
  }
}

export class Chat {
  constructor(root, send) {
    this.list = h("ol", { class: "talk", tabindex: "0", "aria-label": t("chat.title") });
    this.input = h("input", { type: "text", maxlength: 200, autocomplete: "off", "aria-label": t("chat.say"), placeholder: t("chat.say") });
    const say = (text) => text.trim() && send({ say: text.trim() });
    root.append(
      h("h2", {}, t("chat.title")), this.list,
      h("div", { class: "phrases" }, ["hello", "good", "moment", "thanks"].map((key) =>
        button(t(`phrase.${key}`), () => say(t(`phrase.${key}`)), { class: "phrase" }))),
      h("form", { on: { submit: (event) => { event.preventDefault(); say(this.input.value); this.input.value = ""; } } },
        this.input, h("button", { type: "submit" }, t("chat.send"))));
    this.root = root;
  }

  reset() { this.list.replaceChildren(); }

  add(lines, name) {
    for (const line of lines) {
      if (!line.mine && wishes.mute === "on") continue;
      this.list.append(h("li", { class: line.mine ? "mine" : "" }, h("b", {}, line.mine ? t("who.you") : name || t("nobody"), ": "), line.text));
    }
    this.list.scrollTop = this.list.scrollHeight;
  }
}

export { dress };

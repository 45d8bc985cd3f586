// What people read: by its key, in the language that the server speaks.

let messages = {};
let plurals = new Intl.PluralRules("en");

export async function loadWords() {
  const answer = await fetch("/messages.json");
  const told = await answer.json();
  messages = told.messages;
  plurals = new Intl.PluralRules(told.lang);
  document.documentElement.lang = told.lang;
}

/** The message `key` with its {names} filled in; `values.n` chooses among plural forms. */
export function t(key, values = {}) {
  let text = messages[key];
  if (text === undefined) return key;
  if (typeof text !== "string") text = text[plurals.select(values.n)] ?? text.other;
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

export const has = (key) => key in messages;

/** A card in words, in which its colour has the right form. */
export const cardName = (face) =>
  face < 0 ? t("card.hidden") : t(`card.${Math.floor(face / 8)}`, { value: (face % 8) + 1 });

export const colourName = (colour) => t(`colour.${colour}`);
export const playerName = (player) => t(`player.${player}`);

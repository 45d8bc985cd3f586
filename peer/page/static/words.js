// What people read: by its key, in the language that the server speaks.

let messages = {};
let plurals = new Intl.PluralRules("en");

/** The languages that there are: by their codes, as their speakers call them. */
export let languages = {};
export let language = "en";

export async function loadWords() {
  const answer = await fetch("/messages.json");
  const told = await answer.json();
  messages = told.messages;
  languages = told.languages;
  language = told.lang;
  plurals = new Intl.PluralRules(language);
  document.documentElement.lang = language;
}

/** The message `key` with its {names} filled in; `values.n` chooses among plural forms. */
export function t(key, values = {}) {
  let text = messages[key];
  if (text === undefined) return key;
  if (typeof text !== "string") text = text[plurals.select(values.n)] ?? Object.values(text).at(-1);
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** Remember which language is wanted; the server takes it up when a page is opened. */
export function preferLanguage(code) {
  document.cookie = `whitby_lang=${code}; Path=/; Max-Age=31536000; SameSite=Strict`;
}

export const has = (key) => key in messages;

/** A card in words, in which its colour has the right form. */
export const cardName = (face) =>
  face < 0 ? t("card.hidden") : t(`card.${Math.floor(face / 8)}`, { value: (face % 8) + 1 });

export const colourName = (colour) => t(`colour.${colour}`);
export const playerName = (player) => t(`player.${player}`);

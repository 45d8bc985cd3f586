// What the person likes.  Kept in a cookie, because it belongs to the host whatever the port is,
// and every game has a port of its own.

const NAME = "whitby_wishes";
const YEAR = 31536000;
const KNOWN = { theme: "auto", sound: "off", motion: "auto", guide: "first", advice: "off", mute: "off" };

function read() {
  const found = document.cookie.split("; ").find((cookie) => cookie.startsWith(`${NAME}=`));
  try {
    return { ...KNOWN, ...JSON.parse(decodeURIComponent(found.slice(NAME.length + 1))) };
  } catch {
    return { ...KNOWN };
  }
}

export const wishes = read();

export function wish(name, value) {
  wishes[name] = value;
  document.cookie = `${NAME}=${encodeURIComponent(JSON.stringify(wishes))}; Path=/; Max-Age=${YEAR}; SameSite=Strict`;
  dress();
}

export function dress() {
  document.documentElement.dataset.theme = wishes.theme;
  document.documentElement.dataset.motion = wishes.motion;
}

// A few short tones, made here; off unless the person wants them.

let context = null;

const TONES = {
  turn: [[523, 0], [784, 0.12]],
  card: [[220, 0]],
  vampire: [[196, 0], [147, 0.16]],
  wound: [[392, 0], [330, 0.12]],
  end: [[392, 0], [494, 0.14], [587, 0.28]],
  say: [[880, 0]],
};

export function play(name, isOn) {
  if (!isOn || !TONES[name]) return;
  context ??= new AudioContext();
  for (const [pitch, at] of TONES[name]) {
    const tone = context.createOscillator();
    const loud = context.createGain();
    const start = context.currentTime + at;
    tone.frequency.value = pitch;
    tone.type = "triangle";
    loud.gain.setValueAtTime(0.0001, start);
    loud.gain.exponentialRampToValueAtTime(0.08, start + 0.02);
    loud.gain.exponentialRampToValueAtTime(0.0001, start + 0.25);
    tone.connect(loud).connect(context.destination);
    tone.start(start);
    tone.stop(start + 0.3);
  }
}

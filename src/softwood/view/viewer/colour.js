// Colours for readers with and without colour-vision deficiency: for classes those of Okabe and Ito (2002), with grey in
// place of black; for numbers cividis (Nuñez, Anderton and Renslow, 2018).

const CLASSES = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#7A7A7A"];
const CIVIDIS = ["#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838"];

export function classColour(k) {
  return CLASSES[k % CLASSES.length];
}

function channels(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

// Colour of a number between 0 and 1, as [red, green, blue].
export function scaleColour(part) {
  const at = Math.min(Math.max(Number.isNaN(part) ? 0 : part, 0), 1) * (CIVIDIS.length - 1);
  const low = Math.min(Math.floor(at), CIVIDIS.length - 2), between = at - low;
  const [a, b] = [channels(CIVIDIS[low]), channels(CIVIDIS[low + 1])];
  return a.map((value, i) => Math.round(value + between * (b[i] - value)));
}

export function scaleText(part) {
  return `rgb(${scaleColour(part).join(" ")})`;
}

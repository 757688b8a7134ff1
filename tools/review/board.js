"use strict";
// What the page is built on: unpacking their data, and drawing an empty board.
const byId = (id) => document.getElementById(id);

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

// Appends an SVG element; texts are never markup.
function shape(name, attributes, parent) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent.append(element);
  return element;
}

// Returns the drawing of a board, and the layer in which to draw what changes.
function emptyBoard(board) {
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  picture.setAttribute("viewBox", `0 0 ${board.width} ${board.height}`);
  picture.setAttribute("role", "img");
  for (const [owner, d] of board.edges) shape("path", { class: "edge " + owner, d }, picture);
  board.outlines.forEach((d, cell) => {
    shape("title", {}, shape("path", { class: "cell", d }, picture)).textContent = board.names[cell];
  });
  for (const [x, y, text] of board.inside) {
    shape("text", { class: "inside", x, y }, picture).textContent = text;
  }
  for (const [x, y, text] of board.labels) shape("text", { x, y }, picture).textContent = text;
  return { picture, layer: shape("g", {}, picture) };
}

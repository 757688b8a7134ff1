"use strict";
// What all pages are built on.
const SVG = "http://www.w3.org/2000/svg";
const byId = (id) => document.getElementById(id);

function showProblem(sentence) {
  byId("problem").textContent = sentence;
  byId("problem").hidden = false;
}

// Returns the data in the page, or null after saying why there are none.
async function unpackData() {
  if (typeof DecompressionStream === "undefined") {
    showProblem("This browser is too old to decompress the page's data.");
    return null;
  }
  try {
    const bytes = Uint8Array.from(atob(byId("data").textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  } catch (error) {
    showProblem("The data in this page are damaged: " + error.message);
    return null;
  }
}

// Appends an SVG element; texts are never markup.
function shape(name, attributes, parent) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent.append(element);
  return element;
}


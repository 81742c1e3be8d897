// Saves data of the page as a file of the user.

export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// A picture with the colours of the page written into it, so that it looks the same elsewhere.
export function saveSvg(svg: SVGElement, name: string): void {
  const copy = svg.cloneNode(true) as SVGElement;
  const [from, to] = [[svg, ...svg.querySelectorAll('*')], [copy, ...copy.querySelectorAll('*')]];
  from.forEach((element, index) => {
    const style = getComputedStyle(element);
    for (const property of ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'paint-order', 'font-weight', 'font-size', 'font-family', 'text-anchor', 'opacity']) to[index]!.setAttribute(property, style.getPropertyValue(property));
  });
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  saveBlob(new Blob([new XMLSerializer().serializeToString(copy)], { type: 'image/svg+xml' }), name);
}

// Runs in a page: all texts whose contrast with what is behind them is too low, by the formula of WCAG 2.
//
// Text has 4.5 at least, large text 3. Controls that are switched off do not count.

export function lowContrasts() {
  const channels = (color) => {
    const numbers = color.match(/-?[\d.]+(?:e-?\d+)?/g)?.map(Number) ?? [0, 0, 0, 0];
    const scale = color.startsWith("color(") ? 255 : 1;
    return [...numbers.slice(0, 3).map((n) => n * scale), numbers[3] ?? 1];
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((n, at) => n * a + below[at] * (1 - a));
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((n) => n / 255).map((n) => (n <= 0.04045 ? n / 12.92 : ((n + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => {
    const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (light + 0.05) / (dark + 0.05);
  };
  /** The colour behind an element: its own background over those around it. */
  const behind = (element) => {
    if (element === null) return [255, 255, 255];
    const own = channels(getComputedStyle(element).backgroundColor);
    return own[3] === 1 ? own.slice(0, 3) : over(own, behind(element.parentElement));
  };
  const opacity = (element) => (element === null ? 1 : Number(getComputedStyle(element).opacity) * opacity(element.parentElement));
  const brightness = (element) => Number(/brightness\(([\d.]+)\)/.exec(getComputedStyle(element).filter)?.[1] ?? 1);
  /** The colours of a shape: a pattern has several. */
  const fills = (shape) => {
    const style = getComputedStyle(shape);
    const pattern = /url\("?#([^")]+)"?\)/.exec(style.fill)?.[1];
    if (pattern !== undefined) return [...shape.ownerSVGElement.querySelectorAll(`#${CSS.escape(pattern)} > *`)].flatMap(fills);
    if (style.fill === "none" || Number(style.fillOpacity) === 0) return [];
    return [channels(style.fill).map((n, at) => (at < 3 ? n * brightness(shape) : n * Number(style.fillOpacity)))];
  };
  /** The colours under the middle of a text of a picture: those of the last shape before it that is there. */
  const under = (text) => {
    const { left, top, width, height } = text.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    const around = behind(text.ownerSVGElement);
    let found = [around];
    for (const shape of text.ownerSVGElement.querySelectorAll("rect, ellipse, circle, polygon, path")) {
      if (shape.closest("defs, pattern, marker") !== null) continue;
      if (!(shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING)) continue;
      const box = shape.getBoundingClientRect();
      if (x < box.left || x > box.right || y < box.top || y > box.bottom) continue;
      const own = fills(shape);
      if (own.length > 0) found = own.map((color) => over(color, found[0]));
    }
    return found;
  };
  const least = (style) => {
    const size = parseFloat(style.fontSize);
    return size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
  };
  const low = [];
  const measure = (text, element, color, grounds, style) => {
    const faded = opacity(element);
    for (const ground of grounds) {
      const found = ratio(over([...color.slice(0, 3), color[3] * faded], ground), ground);
      if (found >= least(style) - 0.005) continue;
      low.push(`${found.toFixed(2)}: ${text.trim().slice(0, 24)} in ${element.localName}.${element.getAttribute("class") ?? ""}#${element.id}`);
    }
  };
  const isOff = (element) => element.closest(":disabled, [aria-disabled=true]") !== null;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    if (node.data.trim() === "" || element.closest("script, style, title, noscript, .quaff-unseen, option") || isOff(element)) continue;
    const style = getComputedStyle(element);
    if (!element.checkVisibility({ visibilityProperty: true })) continue;
    if (element.namespaceURI.endsWith("svg")) measure(node.data, element, channels(style.fill), under(element), style);
    else measure(node.data, element, channels(style.color), [behind(element)], style);
  }
  for (const field of document.querySelectorAll("input, select")) {
    if (isOff(field) || !field.checkVisibility() || ["range", "checkbox"].includes(field.type)) continue;
    const style = field.placeholder && field.value === "" ? getComputedStyle(field, "::placeholder") : getComputedStyle(field);
    measure(field.value || field.placeholder || "", field, channels(style.color), [behind(field)], getComputedStyle(field));
    const edge = channels(getComputedStyle(field).borderTopColor);
    for (const ground of [behind(field), behind(field.parentElement)]) if (ratio(over(edge, ground), ground) < 3) low.push(`the edge of ${field.id}`);
  }
  return [...new Set(low)];
}

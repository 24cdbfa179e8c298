type Attributes = Record<string, string | number | boolean | null | undefined>;

/** An element with attributes (false, null and undefined: without it; true: empty) and children. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(node, name, value);
  node.append(...children);
  return node;
}

export function setAttribute(node: Element, name: string, value: Attributes[string]): void {
  if (value === false || value == null) node.removeAttribute(name);
  else node.setAttribute(name, value === true ? '' : String(value));
}

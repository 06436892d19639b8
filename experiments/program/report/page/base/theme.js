/* Colours and fonts from the page's style, light or dark. */

const fromStyle = {
  colour: (/** @type {string} */ name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim(),
  fontFamily: () => getComputedStyle(document.body).fontFamily,
};
let theme = fromStyle;

/**
 * A colour by its name in page.css.
 * @type {(name: string) => string}
 */
export const colour = (name) => theme.colour(name);
export const fontFamily = () => theme.fontFamily();

/**
 * Takes colours and fonts from another source, for figures that are drawn without a page.
 * @param {{colour: (name: string) => string; fontFamily: () => string}} other
 */
export function useTheme(other) {
  theme = other;
}

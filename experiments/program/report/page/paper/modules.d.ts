/* What the script on paper imports besides modules of the page. */

declare module "*.css" {
  const text: string;
  export default text;
}
declare module "node:fs" {
  export function readFileSync(descriptor: number, encoding: "utf8"): string;
  export function writeSync(descriptor: number, bytes: Uint8Array, offset: number): number;
}

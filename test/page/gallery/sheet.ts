import type { Browser } from "playwright-core";
import type { Picture } from "./shots.ts";

/** How much smaller a picture is on a sheet. */
const SCALE = 0.5;
/** The quality of WebP, from 0 to 100. Texts of half their size are legible. */
const QUALITY = 68;
const STYLE = `
  body { margin: 0; padding: 16px; width: 1936px; background: #d9dde3; font: 14px/20px sans-serif; color: #16202c;
    display: flex; flex-wrap: wrap; gap: 16px; align-items: start; }
  figure { margin: 0 }
  img { display: block }`;

const figure = ({ shot: { width, height, theme }, png }: Picture): string => `
  <figure>
    <figcaption>${width} × ${height}, ${theme}</figcaption>
    <img width="${width * SCALE}" height="${height * SCALE}" src="data:image/png;base64,${png.toString("base64")}">
  </figure>`;

/** Compose pictures to one, in WebP, each with its size as a caption. */
export async function sheetOf(browser: Browser, pictures: readonly Picture[]): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width: 1968, height: 800 } });
  await page.setContent(`<style>${STYLE}</style>${pictures.map(figure).join("")}`);
  await page.evaluate("Promise.all([...document.images].map((image) => image.decode()))");
  const height = await page.evaluate<number>("document.documentElement.scrollHeight");
  await page.setViewportSize({ width: 1968, height });
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: QUALITY });
  await page.close();
  return Buffer.from(data, "base64");
}

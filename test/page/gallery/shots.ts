import type { Browser, Page } from "playwright-core";
import { PICTURE_TIME, type View, type ViewPlaces } from "../views.ts";

/** A window of the page. */
export interface Shot {
  readonly width: number;
  readonly height: number;
  readonly theme: "light" | "dark";
}

/** The pixels of a view in a window. */
export interface Picture {
  readonly shot: Shot;
  readonly png: Buffer;
}

const TRIES_MAX = 20;

/** The width in pixels below which a window is a phone. */
const TOUCH_WIDTH = 500;

/** Open a view in a new window, at the time of its picture. */
export async function openShot(
  browser: Browser,
  open: View["open"],
  { width, height, theme }: Shot,
  places: ViewPlaces,
): Promise<Page> {
  const isPhone = width < TOUCH_WIDTH;
  const context = await browser.newContext({
    ...{ viewport: { width, height }, colorScheme: theme, reducedMotion: "reduce" },
    ...{ hasTouch: isPhone, isMobile: isPhone, locale: "en-GB", timezoneId: "UTC" },
  });
  const page = await context.newPage();
  await page.clock.setFixedTime(PICTURE_TIME);
  await open(page, places);
  return page;
}

/** Take the picture of a view as soon as two in succession are the same, so that its lazy parts are loaded. */
export async function take(
  browser: Browser,
  open: View["open"],
  shot: Shot,
  places: ViewPlaces,
): Promise<Picture> {
  const page = await openShot(browser, open, shot, places);
  await page.getByText(/^Loading .*…$/).waitFor({ state: "detached" });
  let before = await page.screenshot({ animations: "disabled" });
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const png = await page.screenshot({ animations: "disabled" });
    if (png.equals(before)) {
      await page.context().close();
      return { shot, png };
    }
    before = png;
  }
  throw new Error(`Expected two equal pictures of a view in succession, got ${TRIES_MAX} different ones.`);
}

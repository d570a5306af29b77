import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { launch } from "./browser.ts";
import { openPlaces, type ViewPlaces } from "./views.ts";

/** A browser, and the places of the views. */
export interface OpenedViews {
  readonly browser: Browser;
  readonly places: ViewPlaces;
}

/**
 * Open a browser and the places of the views before the tests of the calling suite, and close both after them. The
 * returned function gives them to a test.
 */
export function openViews(): () => OpenedViews {
  let opened: OpenedViews | undefined;
  beforeAll(async () => {
    const [browser, places] = await Promise.all([launch(), openPlaces()]);
    opened = { browser, places };
  });
  afterAll(async () => {
    await opened?.browser.close();
    await opened?.places[Symbol.asyncDispose]();
  });
  return () => {
    if (opened === undefined)
      throw new Error("Expected a call in a test: the views are opened before the tests.");
    return opened;
  };
}

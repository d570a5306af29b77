import type { Locator } from "playwright-core";

/** Whether an element is whole within the viewport, and a click on its center reaches it: nothing covers it there. */
export const isReachable = (control: Locator): Promise<boolean> =>
  control.evaluate((element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const view = element.ownerDocument.defaultView;
    const hit = element.ownerDocument.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    const isInside = left >= 0 && top >= 0 && right <= view.innerWidth && bottom <= view.innerHeight;
    return isInside && element.contains(hit);
  });

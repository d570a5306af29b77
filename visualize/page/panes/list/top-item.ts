/** The position of the first visible item of the list in an element; undefined if it has none. */
export function topItemOf(element: HTMLElement | null): number | undefined {
  const scroller = element?.querySelector(".list-scroll");
  const list = scroller?.querySelector<HTMLOListElement>("ol.list-items");
  if (scroller === null || scroller === undefined || list === null || list === undefined) return undefined;
  const { top } = scroller.getBoundingClientRect();
  const first = [...list.children].findIndex((item) => item.getBoundingClientRect().bottom > top + 1);
  return first < 0 ? undefined : list.start - 1 + first;
}

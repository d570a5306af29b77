export { MoreItems, PagedList } from "./paged-list.tsx";
export { useScrollIntoView } from "./use-scroll-into-view.ts";
export { MOVING_SIZE, type Side, useCenter, useSettled } from "./use-window.ts";

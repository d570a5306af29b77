export { MoreItems } from "./more-items.tsx";
export { PagedList } from "./paged-list.tsx";
export { useScrollIntoView } from "./use-scroll-into-view.ts";
export { MOVING_SIZE, useSettled } from "./use-settled.ts";
export { useCenter } from "./use-window.ts";

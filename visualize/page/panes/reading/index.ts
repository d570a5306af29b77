export { Elsewhere } from "./elsewhere.tsx";
export { ReadList } from "./read-list.tsx";
export { useLook } from "./use-look.ts";
export { PASSING_SIZE, useRest } from "./use-rest.ts";
export { useReveal } from "./use-reveal.ts";

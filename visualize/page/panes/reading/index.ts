export { Elsewhere } from "./elsewhere.tsx";
export { indexOf, type TraceIndex } from "./trace-index.ts";
export { useLook } from "./use-look.ts";
export { useReveal } from "./use-reveal.ts";
export { useSpan } from "./use-span.ts";

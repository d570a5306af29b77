/** The layout of charts without fixed places. The built page has it in a file of its own, `embed-layout.js`. */
export { denseLayoutOf as layoutOf } from "../chart/layout.ts";

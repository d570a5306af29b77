export { SEQUENCE_MAX_LINES, SequencePane } from "./pane.tsx";

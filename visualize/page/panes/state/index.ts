export { StatePane } from "./state-pane.tsx";

export { langGraph as peer } from "./langchain.ts";

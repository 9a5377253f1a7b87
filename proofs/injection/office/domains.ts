import { chatAndFiles } from "./chat.ts";
import { invoices } from "./invoices.ts";
import { mailAndCalendar } from "./mail.ts";
import type { OfficeDomain } from "./office.ts";
import { travelDesk } from "./travel.ts";

export const OFFICE: readonly OfficeDomain[] = [mailAndCalendar, invoices, travelDesk, chatAndFiles];

import { defineSuite, type Suite } from "../../suite.js";
import { makeCompany } from "./make-company.js";
import { calendarTasks } from "./tasks/calendar-tasks.js";
import { invoiceTasks } from "./tasks/invoice-tasks.js";
import { mailTasks } from "./tasks/mail-tasks.js";
import { mixedTasks } from "./tasks/mixed-tasks.js";
import { stockTasks } from "./tasks/stock-tasks.js";
import { ticketTasks } from "./tasks/ticket-tasks.js";
import { workdayTask } from "./workday-task.js";

/**
 * Office work in a small invented company: calendar, mail, tickets, stock, invoices. The state in the end is compared with the one that was asked for, and
 * every other change is a side effect. Tasks with the flag `no-action` are solved by changing nothing; those with `read-only` want an answer alone.
 */
export function workday(): Suite {
  return defineSuite({
    name: "workday",
    version: "1",
    description: "Office work in a small invented company, judged by the state in the end and by side effects.",
    tasks({ seed }) {
      const company = makeCompany(seed);
      const books = [invoiceTasks, ticketTasks, stockTasks, calendarTasks, mailTasks, mixedTasks];
      const counts = new Map<string, number>();
      return books
        .flatMap((tasks) => tasks(company))
        .map((draft) => {
          const count = (counts.get(draft.template) ?? 0) + 1;
          counts.set(draft.template, count);
          return workdayTask(draft, { id: `${draft.template}/${count}`, company });
        });
    },
  });
}

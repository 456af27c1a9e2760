//! `schedules`: jobs that are submitted again and again. They are where the jobs are: in the state folder or a database, or behind a
//! server. A server that runs, `intentbox serve` on the same folder, submits their jobs when they are due.

use intentbox_store::Place;
use serde_json::{Map, Value};

use crate::answer::Answer;
use crate::arguments::{AddSchedule, Schedules, SchedulesCommand, Sources};
use crate::error::{Class, CommandError};
use crate::jobs::{self, Client, Connected, ID_DIGITS, SHORT_ID_MIN, ScheduleView};
use crate::show;

pub(crate) async fn run(sources: &Sources, command: SchedulesCommand) -> Result<Answer, CommandError> {
    let SchedulesCommand { place, command } = command;
    let flags = jobs::flags(sources, &place);
    let answer = match jobs::connect(sources, place, matches!(command, Schedules::Add(_))).await? {
        Connected::Client(client) => {
            let answer = asked(&client, command).await;
            client.close().await;
            answer
        }
        Connected::Missing(place) => none(&place, &command),
    };
    jobs::reworded(answer, &flags)
}

async fn asked(client: &Client, command: Schedules) -> Result<Answer, CommandError> {
    match command {
        Schedules::Add(schedule) => add(client, *schedule).await,
        Schedules::List => {
            let schedules = client.schedules().await?;
            let text = schedules.iter().map(ScheduleView::line).collect::<String>();
            let answer =
                Answer::new(text).with("schedules", schedules.iter().map(ScheduleView::object).collect::<Vec<Value>>());
            Ok(if schedules.is_empty() { answer.noting("there are no schedules") } else { answer })
        }
        Schedules::Show { id } => {
            let schedule = found(client, &id).await?;
            // It may be forgotten already, and what became of it is more than was asked for.
            let last_job = match schedule.last_job.as_str() {
                "" => None,
                id => client.job(id).await.ok().flatten(),
            };
            Ok(schedule.shown(last_job.as_ref()))
        }
        Schedules::Remove { id } => {
            // A token may be for removing alone, and not for looking.
            let id = if id.len() == ID_DIGITS { id } else { found(client, &id).await?.id };
            if !client.remove_schedule(&id).await? {
                return Err(unknown(client, &id));
            }
            Ok(Answer::default().noting(format!("schedule {id} is removed")).with("removed", id))
        }
    }
}

async fn add(client: &Client, schedule: AddSchedule) -> Result<Answer, CommandError> {
    let AddSchedule { cron, timezone, work } = schedule;
    let mut request =
        Map::from_iter([("cron".to_owned(), Value::from(cron)), ("job".to_owned(), jobs::request(work)?.into())]);
    request.extend(timezone.map(|zone| ("timezone".to_owned(), zone.into())));
    let kept = client.add_schedule(&Value::Object(request).to_string()).await?;
    let note = format!("jobs are submitted while a server runs; see `intentbox schedules show {}`", kept.id);
    Ok(Answer::new(kept.line()).noting(note).with("schedule", kept.object()))
}

/// A schedule by its id, or by the first digits of it.
async fn found(client: &Client, id: &str) -> Result<ScheduleView, CommandError> {
    if !(SHORT_ID_MIN..=ID_DIGITS).contains(&id.len()) {
        return Err(unknown(client, id));
    }
    let id = id.to_ascii_lowercase();
    let schedules = client.schedules().await?;
    let mut meant = schedules.into_iter().filter(|schedule| schedule.id.starts_with(&id));
    match (meant.next(), meant.next()) {
        (Some(schedule), None) => Ok(schedule),
        (Some(schedule), Some(other)) => {
            let told = format!("the ids of several schedules begin with {}", show::line(&id));
            Err(Class::Usage.error(told).hint(format!("one is {}, another {}", schedule.id, other.id)))
        }
        _ => Err(unknown(client, &id)),
    }
}

fn unknown(client: &Client, id: &str) -> CommandError {
    let hint = match client {
        _ if id.len() < SHORT_ID_MIN => {
            format!("give at least {SHORT_ID_MIN} digits of its id, as `intentbox schedules list` shows them")
        }
        Client::Kept(_) => "run `intentbox schedules list`; --principal names whose schedules are meant".to_owned(),
        Client::Remote(_) => "run `intentbox schedules list`".to_owned(),
    };
    Class::Absent.error(format!("there is no schedule {}", show::line(id))).hint(hint)
}

/// The answer where nothing was ever submitted. Asking makes no file.
fn none(place: &Place, command: &Schedules) -> Result<Answer, CommandError> {
    let told = format!("there are no schedules in {place}");
    match command {
        Schedules::List => Ok(Answer::default().noting(told).with("schedules", Vec::<Value>::new())),
        _ => Err(Class::Absent.error(told).hint(jobs::ELSEWHERE)),
    }
}

//! Findings in every format.

use serde_json::{Map, Number, Value as Json, json};

use crate::advice::{
    Finding, IndexProposal, Recommendation, Setting, Subject, Value, VariableChange,
};
use crate::plan::Amount;

/// A finding as JSON. What it does not tell is absent.
pub fn json(finding: &Finding) -> Json {
    let mut object = Map::new();
    let mut set = |name: &str, value: Json| {
        object.insert(name.to_owned(), value);
    };
    set("rule", json!(finding.rule));
    set("category", json!(finding.category.word()));
    set("severity", json!(finding.severity.word()));
    set("confidence", json!(finding.confidence.word()));
    set("title", json!(finding.title));
    set("subject", subject(&finding.subject));
    let facts = finding.evidence.iter().map(|fact| (fact.name.to_owned(), value(&fact.value)));
    set("evidence", Json::Object(facts.collect()));
    set("recommendation", recommendation(&finding.recommendation));
    if let Some(benefit) = finding.benefit {
        let million = Amount::whole(1_000_000);
        let share = Amount::whole(benefit.micros).ratio(Amount::whole(benefit.whole_micros));
        let share = share.map(number);
        let seconds = |micros| Amount::whole(micros).ratio(million).map(number);
        let known = [
            ("seconds", seconds(benefit.micros)),
            ("of_seconds", seconds(benefit.of_micros)),
            ("share", share),
        ];
        let known = known.into_iter().filter_map(|(name, own)| Some((name.to_owned(), own?)));
        set("benefit", Json::Object(known.collect()));
    }
    set("verify", json!(finding.verify));
    set("queries", finding.queries.iter().map(|query| json!(query.to_string())).collect());
    Json::Object(object)
}

fn subject(subject: &Subject) -> Json {
    let mut object = Map::new();
    let mut set = |name: &str, value: Option<Json>| {
        object.extend(value.map(|value| (name.to_owned(), value)));
    };
    set("query_id", subject.query_id.map(|id| json!(id.to_string())));
    set("table", subject.table.as_deref().map(Json::from));
    set("columns", (!subject.columns.is_empty()).then(|| json!(subject.columns)));
    set("variable", subject.variable.as_deref().map(Json::from));
    set("step", subject.step.map(Json::from));
    Json::Object(object)
}

pub(super) fn value(value: &Value) -> Json {
    match value {
        Value::Number(amount) => number(*amount),
        Value::Text(text) => json!(text),
        Value::List(texts) => json!(texts),
        Value::Flag(flag) => json!(flag),
    }
}

fn recommendation(recommendation: &Recommendation) -> Json {
    let mut object = Map::new();
    object.insert("action".to_owned(), json!(recommendation.action.word()));
    object.insert("text".to_owned(), json!(recommendation.text));
    for (name, proposal) in
        [("index", &recommendation.index), ("replaces", &recommendation.replaces)]
    {
        object.extend(proposal.as_ref().map(|proposal| (name.to_owned(), index(proposal))));
    }
    if !recommendation.variables.is_empty() {
        let changes = recommendation.variables.iter().map(change).collect();
        object.insert("variables".to_owned(), changes);
    }
    if !recommendation.sql.is_empty() {
        object.insert("sql".to_owned(), json!(recommendation.sql));
    }
    if !recommendation.undo.is_empty() {
        object.insert("undo".to_owned(), json!(recommendation.undo));
    }
    Json::Object(object)
}

/// A change of a variable; what it is now is absent where that is not known.
fn change(change: &VariableChange) -> Json {
    let mut object = Map::new();
    object.insert("name".to_owned(), json!(change.name));
    object.extend(change.from.as_ref().map(|from| ("from".to_owned(), setting(from))));
    object.insert("to".to_owned(), setting(&change.to));
    object.insert("restart".to_owned(), json!(change.restart));
    if !change.option_line.is_empty() {
        object.insert("option_file".to_owned(), json!(change.option_line));
    }
    Json::Object(object)
}

fn setting(setting: &Setting) -> Json {
    match setting {
        Setting::Number(amount) => number(*amount),
        Setting::Word(word) => json!(word),
    }
}

/// An index that is spoken of.
pub(super) fn index(proposal: &IndexProposal) -> Json {
    let columns = proposal.columns.iter().map(|column| {
        let mut object = Map::new();
        object.insert("name".to_owned(), json!(column.name));
        object.extend(column.length.map(|length| ("length".to_owned(), json!(length))));
        if column.is_descending {
            object.insert("desc".to_owned(), json!(true));
        }
        Json::Object(object)
    });
    let mut object = Map::new();
    object.insert("table".to_owned(), json!(proposal.table));
    object.extend(proposal.name.as_ref().map(|name| ("name".to_owned(), json!(name))));
    object.insert("columns".to_owned(), columns.collect());
    Json::Object(object)
}

/// All digits that are known.
pub(super) fn number(amount: Amount) -> Json {
    amount.to_string().parse::<Number>().map_or(Json::Null, Json::Number)
}

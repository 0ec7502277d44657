//! JSON schemas of the types that tools give back, for whoever describes them to programs.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::{BlockId, Citation, PageNumber, RegId};

impl JsonSchema for PageNumber {
    fn schema_name() -> Cow<'static, str> {
        "PageNumber".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": 1 })
    }
}

macro_rules! plain_text {
    ($($name:ident),*) => { $(
        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                String::json_schema(generator)
            }
        }
    )* };
}

plain_text!(RegId, BlockId);

impl JsonSchema for Citation {
    fn schema_name() -> Cow<'static, str> {
        "Citation".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "properties": {
                "reg_id": { "type": "string" },
                "name": { "type": "string", "description": "Name that the citation prints." },
                "page_num": { "type": "integer", "minimum": 1 },
                "last_page": { "type": "integer", "minimum": 1 },
                "page_approximate": { "type": "boolean", "description": "The page is an estimate." },
                "target": {
                    "type": "object",
                    "properties": {
                        "kind": { "enum": ["table", "clause", "annotation"] },
                        "label": { "type": "string" },
                    },
                },
            },
            "required": ["name"],
        })
    }
}

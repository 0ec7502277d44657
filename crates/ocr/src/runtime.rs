//! The one place that knows the model runtime.

use std::sync::Arc;

use rten::{Model, RunOptions, ThreadPool, Value};
use rten_tensor::{Layout as _, NdTensor, Tensor};

use crate::EngineError;

/// A network with one input picture and one output.
pub struct Net {
    part: &'static str,
    model: Model,
}

/// What a network gave: numbers and their shape.
pub struct Output {
    /// Lengths of the axes.
    pub shape: Vec<usize>,
    /// The numbers, last axis fastest.
    pub data: Vec<f32>,
}

impl Net {
    /// Loads a network. `part` names it in errors.
    pub fn load(part: &'static str, bytes: Vec<u8>) -> Result<Self, EngineError> {
        let model = Model::load(bytes).map_err(|error| EngineError::new(part, error))?;
        Ok(Self { part, model })
    }

    /// A text that the model file carries.
    pub fn metadata(&self, name: &str) -> Option<&str> {
        self.model.metadata().get(name)
    }

    /// Runs it on a picture of three planes, `data` row by row.
    pub fn run(
        &self,
        height: usize,
        width: usize,
        data: Vec<f32>,
        pool: &Arc<ThreadPool>,
    ) -> Result<Output, EngineError> {
        let failed = |error: &dyn std::fmt::Display| EngineError::new(self.part, error);
        if data.len() != 3 * height * width {
            return Err(EngineError::new(self.part, "the input has the wrong size"));
        }
        let input = NdTensor::from_data([1, 3, height, width], data);
        let mut options = RunOptions::default();
        options.thread_pool = Some(Arc::clone(pool));
        let value = self.model.run_one(input.into(), Some(options)).map_err(|error| failed(&error))?;
        let Value::FloatTensor(tensor) = value else {
            return Err(EngineError::new(self.part, "it gives no numbers"));
        };
        let tensor: Tensor<f32> = tensor;
        let shape = tensor.shape().to_vec();
        Ok(Output { shape, data: tensor.into_data() })
    }
}
